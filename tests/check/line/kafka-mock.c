/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A Kafka cluster of three brokers in memory, by librdkafka. Prints their
 * addresses. Lines of standard input: "down" and "up" of all brokers, "fail N":
 * the next N requests to write fail, as those of a cluster that lacks replicas
 * do. Ends with its input. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#define N_BROKERS 3
#define PRODUCE 0               /* its number in Kafka's protocol */

static void
switch_all (rd_kafka_mock_cluster_t * cluster, int is_up)
{
  for (int i = 1; i <= N_BROKERS; i++)
    if (is_up)
      rd_kafka_mock_broker_set_up (cluster, i);
    else
      rd_kafka_mock_broker_set_down (cluster, i);
}

static void
fail (rd_kafka_mock_cluster_t * cluster, int n)
{
  for (int i = 0; i < n; i++)
    rd_kafka_mock_push_request_errors (cluster, PRODUCE, 1,
        RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS);
}

int
main (void)
{
  char text[512], line[80];
  rd_kafka_t *client = rd_kafka_new (RD_KAFKA_PRODUCER, rd_kafka_conf_new (),
      text, sizeof (text));
  rd_kafka_mock_cluster_t *cluster =
      client ? rd_kafka_mock_cluster_new (client, N_BROKERS) : NULL;

  if (!cluster) {
    fprintf (stderr, "no cluster\n");
    return 1;
  }
  printf ("%s\n", rd_kafka_mock_cluster_bootstraps (cluster));
  fflush (stdout);
  while (fgets (line, sizeof (line), stdin)) {
    if (strncmp (line, "fail ", 5) == 0)
      fail (cluster, atoi (line + 5));
    else
      switch_all (cluster, strcmp (line, "up\n") == 0);
    printf ("done\n");
    fflush (stdout);
  }
  rd_kafka_mock_cluster_destroy (cluster);
  rd_kafka_destroy (client);
  return 0;
}
