/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Configurations with one thing changed: what is wrong with each, or that nothing
 * is; and what they say of cameras and topics. */

#include "camera_settings.h"
#include "check.h"
#include "checks.h"
#include "publish/settings.h"
#include "publish_line.h"
#include "settings.h"

#include <math.h>
#include <string.h>

static const char base[] =
    "[line]\nname=l\nrecipe=r.ini\noutput=o\ndeadline-ms=50\n"
    "triggers-per-second=10\n"
    "[geometry]\ncolumns=511\nrows=95\nmm-per-pixel=0.8\ncups=5\n"
    "cup-first=51\ncup-pitch=102\nturn=70\ntilt=-45;15\n"
    "[lane a]\nsource=simulate\n"
    "[lane b]\n";

#define CAMERAS "source=camera\nnetwork=n\ncameras=x;y\n"
#define OWN "source=simulate\n[geometry b]\n"
#define KAFKA "[publish]\ntransport=kafka\nbrokers=a\ntls=true\n"
#define MQTT "[publish]\nhost=a\ntls=true\n"
#define FIFTY "abcdefghij.klmnopqrst_uvwxyzABCD-EFGHIJKLMN0123456"
#define LONGEST FIFTY FIFTY FIFTY FIFTY \
    "abcdefghij.klmnopqrst_uvwxyzABCD-EFGHIJKLMN012345"

typedef struct
{
  const char *what, *from, *to, *error;
} Change;

/* The second lane begins in line 18; what is good has no error. */
static const Change changes[] = {
  {"a simulation", "", "source=simulate\n", NULL},
  {"no view", "tilt=-45;15", "tilt=",
      "l.ini:15: \"tilt\" must have the degrees of each view, 1 to 16"},
  {"the most views", "tilt=-45;15", "tilt=1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;"
        "16", NULL},
  {"a view more", "tilt=-45;15", "tilt=1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;"
        "17", "l.ini:15: \"tilt\" must have the degrees of each view, 1 to 16"},
  {"a tilt and more", "-45;15", "-45x;15",
      "l.ini:15: \"-45x\" in \"tilt\" must be a number from -90 to 90"},
  {"a tilt that is none", "-45;15", "-45;x",
      "l.ini:15: \"x\" in \"tilt\" must be a number from -90 to 90"},
  {"a tilt of ninety", "-45;15", "-90;90", NULL},
  {"a tilt of more than ninety", "-45;15", "-90;90.5",
      "l.ini:15: \"90.5\" in \"tilt\" must be a number from -90 to 90"},
  {"a turn of more than one", "turn=70", "turn=360.5",
      "l.ini:14: \"turn\" is 360.5, and must be a number from -360 to 360"},
  {"a whole turn backwards", "turn=70", "turn=-360", NULL},
  {"rollers that race", "turn=70", "travel-mm=1000.5",
      "l.ini:14: \"travel-mm\" is 1000.5, and must be a number from -1000 to "
        "1000"},
  {"rollers that turn backwards", "turn=70", "travel-mm=-28.9", NULL},
  {"rollers in cups that turn", "turn=70", "turn=70\ntravel-mm=28.9",
      "l.ini:14: \"turn\" and \"travel-mm\" say the same"},
  {"too many columns", "\ncolumns=511", "\ncolumns=16385",
      "l.ini:8: \"columns\" is 16385, and must be a number "
        "from 2 to 16384"},
  {"one column", "\ncolumns=511", "\ncolumns=1",
      "l.ini:8: \"columns\" is 1, and must be a number "
        "from 2 to 16384"},
  {"too many rows", "\nrows=95", "\nrows=16385",
      "l.ini:9: \"rows\" is 16385, and must be a number "
        "from 2 to 16384"},
  {"one row", "\nrows=95", "\nrows=1",
      "l.ini:9: \"rows\" is 1, and must be a number "
        "from 2 to 16384"},
  {"too many cups", "\ncups=5", "\ncups=17",
      "l.ini:11: \"cups\" is 17, and must be a number "
        "from 1 to 16"},
  {"too coarse a view", "\nmm-per-pixel=0.8", "\nmm-per-pixel=100.5",
      "l.ini:10: \"100.5\" in \"mm-per-pixel\" must be a number "
        "from 0.001 to 100"},
  {"too fine a view", "\nmm-per-pixel=0.8", "\nmm-per-pixel=0.0009",
      "l.ini:10: \"0.0009\" in \"mm-per-pixel\" must be a number "
        "from 0.001 to 100"},
  {"a first cup too far away", "\ncup-first=51", "\ncup-first=16385",
      "l.ini:12: \"16385\" in \"cup-first\" must be a number "
        "from 0 to 16384"},
  {"a first cup before the view", "\ncup-first=51", "\ncup-first=-1",
      "l.ini:12: \"-1\" in \"cup-first\" must be a number "
        "from 0 to 16384"},
  {"cups too far apart", "\ncup-pitch=102", "\ncup-pitch=16385",
      "l.ini:13: \"16385\" in \"cup-pitch\" must be a number "
        "from 1 to 16384"},
  /* of each view, and of each lane */
  {"a scale for each view", "mm-per-pixel=0.8", "mm-per-pixel=0.8;0.7", NULL},
  {"a scale for a view that is not there", "mm-per-pixel=0.8",
        "mm-per-pixel=0.8;0.7;0.6", "l.ini:10: \"mm-per-pixel\" has one number "
        "for all views, or 2, one for each, not 3"},
  {"no scale of some", "mm-per-pixel=0.8", "mm-per-pixel=",
      "l.ini:10: \"mm-per-pixel\" has one number for all views, or 2, one for "
        "each, not 0"},
  {"no scale", "mm-per-pixel=0.8\n", "",
      "l.ini:7: [geometry] lacks the key \"mm-per-pixel\""},
  {"a second view's cups in one place", "cup-pitch=102", "cup-pitch=102;0",
      "l.ini:13: \"0\" in \"cup-pitch\" must be a number from 1 to 16384"},
  {"a second view's cups outside of it", "cup-first=51", "cup-first=51;103",
      "l.ini:11: the last cup's centre is at column 511 of view 1, outside of "
        "the 511 columns"},
  {"a lane of more views", "", OWN "tilt=0;1;2\ncups=4\nrows=9\n"
        "cup-first=30;40;50\n", NULL},
  {"a lane that has all of its own", "[geometry]\n", "[geometry a]\n",
      "l.ini:1: [geometry] lacks the key \"columns\""},
  {"a lane's scale for a view that is not there", "", OWN "cup-pitch=9;8;7\n",
      "l.ini:21: \"cup-pitch\" has one number for all views, or 2, one for each, "
        "not 3"},
  {"a lane of more views than numbers", "cup-pitch=102\nturn=70\ntilt=-45;15\n",
      "cup-pitch=102;101\ntilt=-45;15\n[geometry b]\ntilt=1;2;3\n",
      "l.ini:16: \"tilt\" says that this lane has 3 views, and \"cup-pitch\" of "
        "[geometry] has 2 numbers: write \"cup-pitch\" here, too"},
  {"a lane's cups outside of it", "", OWN "cup-pitch=102;120\n",
      "l.ini:20: the last cup's centre is at column 531 of view 1, outside of "
        "the 511 columns"},
  {"a key that each lane has of its own", "", OWN "columns=600\n"
        "[geometry a]\ncolumns=700\n", NULL},
  {"a last cup in the last column", "cup-first=51", "cup-first=102", NULL},
  {"rollers of one lane", "", OWN "travel-mm=28\n", NULL},
  {"rollers in a lane's cups that turn", "", OWN "travel-mm=28\nturn=4\n",
      "l.ini:22: \"turn\" and \"travel-mm\" say the same"},
  {"a lane that is not there", "", "source=simulate\n[geometry c]\nturn=1\n",
      "l.ini:20: there is no [lane c] whose geometry this could be"},
  {"a lane's key that is none", "", OWN "tlit=3\n",
      "l.ini:21: unknown key \"tlit\""},
  {"a dark view that one lane has not", "", "source=simulate\ndark=2\n",
      "l.ini:20: \"dark\" has numbers of views, 0 to 1"},
  {"a dark view that the other has", "",
      "source=simulate\ndark=2\n[geometry b]\ntilt=0;1;2\n", NULL},
  {"cameras of a lane of its own views", "", "source=camera\nnetwork=n\n"
        "cameras=x;y;z\nmin-cameras=3\ntrigger=hardware\ngain=1;2;3\n"
        "[geometry b]\ntilt=0;1;2\n", NULL},
  {"no backend of some", "deadline-ms=50", "deadline-ms=50\nbackend=",
      "l.ini:6: \"backend\" has no value"},
  {"no address of some", "deadline-ms=50", "deadline-ms=50\naddress=",
      "l.ini:6: \"address\" has no value"},
  {"names of the page", "deadline-ms=50", "deadline-ms=50\nhosts=a.b;c", NULL},
  {"a name with a port", "deadline-ms=50", "deadline-ms=50\nhosts=a.b;c:1",
      "l.ini:6: \"hosts\" are names alone"},
  {"days without segments", "deadline-ms=50", "deadline-ms=50\nkeep-days=7",
      "l.ini:6: \"keep-mb\" and \"keep-days\" need \"segment-mb\""},
  {"days of segments", "deadline-ms=50",
      "deadline-ms=50\nkeep-days=7\nkeep-mb=1\nsegment-mb=1", NULL},
  {"no source of some", "", "source=\n", "l.ini:19: \"source\" has no value"},
  /* cameras */
  {"cameras", "", CAMERAS, NULL},
  {"cameras without a network", "", "source=camera\ncameras=x;y\n",
      "l.ini:18: [lane b] lacks the key \"network\""},
  {"a camera too few", "", "source=camera\nnetwork=n\ncameras=x\n",
      "l.ini:21: \"cameras\" must have the id or address of a camera for each "
        "view, in their order, between semicolons: 2, as \"tilt\" has, not 1"},
  {"a camera twice", "", "source=camera\nnetwork=n\ncameras=x;x\n",
      "l.ini:21: \"cameras\" has the camera \"x\" that another view has"},
  {"other cameras", "", CAMERAS "[lane c]\nsource=camera\nnetwork=n\n"
        "cameras=z;w\n", NULL},
  {"a camera of another lane", "", CAMERAS "[lane c]\nsource=camera\n"
        "network=n\ncameras=z;y\n",
      "l.ini:25: \"cameras\" has the camera \"y\" that another view has"},
  {"a trigger that is none", "", CAMERAS "trigger=light\n",
      "l.ini:22: \"trigger\" is software (the line triggers the cameras) or "
        "hardware (a light barrier does), not \"light\""},
  {"the line's trigger", "", CAMERAS "trigger=software\n", NULL},
  {"a light barrier", "", CAMERAS "trigger=hardware\ntrigger-source=Line1\n"
        "trigger-activation=FallingEdge\nmin-cameras=2\n", NULL},
  {"more cameras than there are", "", CAMERAS "trigger=hardware\n"
        "min-cameras=3\n", "l.ini:23: \"min-cameras\" is 3, and must be a "
        "number from 1 to 2"},
  {"a light barrier's input without it", "", CAMERAS "trigger-activation=x\n",
      "l.ini:22: \"trigger-source\", \"trigger-activation\" and "
        "\"min-cameras\" are for trigger=hardware"},
  {"a gain for all", "", CAMERAS "gain=0\n", NULL},
  {"a gain for each", "", CAMERAS "gain=0;1000\n", NULL},
  {"a gain for a camera that is not there", "", CAMERAS "gain=1;2;3\n",
      "l.ini:22: \"gain\" has one number for all views, or 2, one for each, "
        "not 3"},
  {"no gain of some", "", CAMERAS "gain=\n",
      "l.ini:22: \"gain\" has one number for all views, or 2, one for each, "
        "not 0"},
  {"a gain that is none", "", CAMERAS "gain=1;x\n",
      "l.ini:22: \"x\" in \"gain\" must be a number from 0 to 1000"},
  {"a gain and more", "", CAMERAS "gain=1;5dB\n",
      "l.ini:22: \"5dB\" in \"gain\" must be a number from 0 to 1000"},
  {"too great a gain", "", CAMERAS "gain=1000.5\n",
      "l.ini:22: \"1000.5\" in \"gain\" must be a number from 0 to 1000"},
  {"no exposure", "", CAMERAS "exposure-us=200;0.5\n",
      "l.ini:22: \"0.5\" in \"exposure-us\" must be a number from 1 to 1e+07"},
  {"an endless gain", "", CAMERAS "gain=nan\n",
      "l.ini:22: \"nan\" in \"gain\" must be a number from 0 to 1000"},
  /* publishing */
  {"Kafka", "[lane b]\n", KAFKA, NULL},
  {"no brokers of some", "[lane b]\n", "[publish]\ntransport=kafka\nbrokers=\n",
      "l.ini:20: \"brokers\" has no value"},
  {"a password to a broker that is none", "[lane b]\n",
      "[publish]\ntransport=kafka\nbrokers=localhost,a:b\nusername=b\n",
      "l.ini:21: without TLS everybody"},
  {"brokers in librdkafka's words", "[lane b]\n",
      KAFKA "options=bootstrap.servers=b\n",
      "l.ini:22: \"bootstrap.servers\": write brokers"},
  {"an option of nothing", "[lane b]\n", KAFKA "options=;\n",
      "l.ini:22: part 1 of \"options\" must be NAME=VALUE"},
  {"TLS twice", "[lane b]\n", KAFKA "options=security.protocol=sasl_SSL\n",
      NULL},
  {"TLS, and then not", "[lane b]\n",
      KAFKA "options=security.protocol=ssl;security.protocol=sasl_plaintext\n",
      "l.ini:22: \"security.protocol\" is without TLS"},
  {"an option of almost that name", "[lane b]\n",
      KAFKA "options=security.protocols=plaintext\n", NULL},
  {"commands by a topic", "[lane b]\n",
      MQTT "command-topic=a/b\ncommand-token-file=t\n",
      "l.ini:21: commands go to the line's page: add \"port\""},
  {"commands without a token", "[lane b]\n", MQTT "command-topic=a\n",
      "l.ini:21: \"command-topic\" and \"command-token-file\" need each other"},
  {"commands by any topic", "[lane b]\n",
      MQTT "command-topic=a/#\ncommand-token-file=t\n",
      "l.ini:21: \"a/#\" is no topic"},
  {"commands by Kafka", "[lane b]\n", KAFKA "command-topic=a\n",
      "l.ini:22: unknown key \"command-topic\""},
  {"a key without its certificate", "[lane b]\n", MQTT "key-file=k\n",
      "l.ini:21: \"cert-file\" and \"key-file\" need each other"},
  {"both", "[lane b]\n", MQTT "key-file=k\ncert-file=/c\n", NULL},
  {"a password that leaves the machine, by its second broker", "[lane b]\n",
      "[publish]\ntransport=kafka\nbrokers=127.0.0.1:1,192.0.2.1,localhost\n"
        "username=b\n", "l.ini:21: without TLS everybody"},
  {"a password that does not leave it", "[lane b]\n", "[publish]\n"
        "transport=kafka\nbrokers=127.0.0.1:1,[::1]:2,LOCALHOST\nusername=b\n",
      NULL},
  {"the longest topic of Kafka", "[lane b]\n", KAFKA "topic=" LONGEST "\n",
      NULL},
  {"a longer one", "[lane b]\n", KAFKA "topic=" LONGEST "6\n",
      "l.ini:22: with line \"l\", \"" LONGEST "6\" is no topic"},
  {"a topic that is here", "[lane b]\n", KAFKA "topic=.\n",
      "l.ini:22: with line \"l\", \".\" is no topic"},
  {"a topic that is above", "[lane b]\n", KAFKA "topic=..\n",
      "l.ini:22: with line \"l\", \"..\" is no topic"},
  {"a topic of three points", "[lane b]\n", KAFKA "topic=...\n", NULL},
  {"a topic of spaces", "[lane b]\n", KAFKA "topic=a b\n",
      "l.ini:22: with line \"l\", \"a b\" is no topic"},
  {"a topic of MQTT", "[lane b]\n", MQTT "topic=a b/{lane}/\303\244\n", NULL},
  {"a topic of the broker", "[lane b]\n", MQTT "topic=$SYS/a\n",
      "l.ini:21: with line \"l\", \"$SYS/a\" is no topic"},
  {"a pattern of a part", "[lane b]\n", MQTT "topic=a/+\n",
      "l.ini:21: with line \"l\", \"a/+\" is no topic"},
};

static char *
make_text (const Change * change)
{
  const char *at = *change->from ? strstr (base, change->from) :
      base + strlen (base);

  g_assert (at);
  g_autofree char *before = g_strndup (base, at - base);
  char *text = g_strconcat (before, change->to, at + strlen (change->from),
      NULL);
  /* whatever is changed above it, the second lane has a source */
  if (g_str_has_suffix (text, "[lane b]\n")) {
    char *whole = g_strconcat (text, "source=simulate\n", NULL);

    g_free (text);
    text = whole;
  }
  return text;
}

CHECK (changes)
{
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    const Change *change = &changes[i];
    g_autofree char *text = make_text (change);
    g_autoptr (GError) error = NULL;
    LineConfig *config =
        line_config_parse ("l.ini", text, strlen (text), &error);

    check_that (change->error ? !config && error
        && strstr (error->message, change->error) : config && !error, "%s: %s",
        change->what, error ? error->message : "no error");
    g_clear_pointer (&config, line_config_free);
  }
}

/* A key that two lanes read is told once. */
CHECK (once)
{
  const Change change = { "", "mm-per-pixel=0.8", "mm-per-pixel=x" };
  g_autofree char *text = make_text (&change);
  g_autofree char *own = g_strconcat (text, "[geometry b]\nturn=1\n", NULL);
  g_autoptr (GError) error = NULL;

  check_that (!line_config_parse ("l.ini", own, strlen (own), &error), "once");
  check_that (g_strcmp0 (error->message, "l.ini:10: \"x\" in \"mm-per-pixel\" "
          "must be a number from 0.001 to 100") == 0, "%s", error->message);
}

/* By a geometry of its own, whatever the other lanes have; those that are alike
 * are one. */
CHECK (own_geometry)
{
  static const char own[] = "source=simulate\n[lane c]\nsource=simulate\n"
      "[geometry b]\ncolumns=900\ntilt=1;2;3\nmm-per-pixel=0.7;0.8;0.9\n"
      "cup-pitch=110\ntravel-mm=29\n[geometry c]\nturn=70\n";
  g_autofree char *text = g_strconcat (base, own, NULL);
  g_autoptr (GError) error = NULL;
  LineConfig *config =
      line_config_parse ("l.ini", text, strlen (text), &error);

  g_assert_no_error (error);
  const LineGeometry *a = line_config_get_lane (config, 0)->geometry;
  const LineGeometry *b = line_config_get_lane (config, 1)->geometry;
  check_that (a->views == 2 && a->columns == 511 && a->turn == 70
      && a->travel == 0 && a->mm_per_pixel[0] == 0.8
      && a->mm_per_pixel[1] == 0.8 && a->tilt[1] == 15, "lane a");
  check_that (b->views == 3 && b->columns == 900 && b->rows == 95
      && b->cups == 5 && b->travel == 29 && b->mm_per_pixel[1] == 0.8
      && b->mm_per_pixel[2] == 0.9 && b->cup_first[2] == 51
      && b->cup_pitch[2] == 110 && b->tilt[2] == 3, "lane b");
  check_that (line_geometry_get_coarsest (a) == 0.8
      && line_geometry_get_coarsest (b) == 0.9, "the coarsest views");
  check_that (line_config_get_lane (config, 2)->geometry == a
      && config->geometries->len == 2, "lane c is as lane a");
  line_config_free (config);
}

static LineConfig *
parse (const char *lane)
{
  g_autofree char *text = g_strconcat (base, lane, NULL);
  LineConfig *config = line_config_parse ("l.ini", text, strlen (text), NULL);

  g_assert (config);
  return config;
}

CHECK (cameras)
{
  LineConfig *config = parse (CAMERAS "exposure-us=200;350.5\ngain=3\n"
      "trigger=hardware\nmin-cameras=1\n");
  LineCameraConfig *cameras =
      g_array_index (config->lanes, LineLaneConfig, 1).cameras;

  begin ("what is said of cameras");
  expect (strcmp (cameras->ids[0], "x") == 0
      && strcmp (cameras->ids[1], "y") == 0 && !cameras->ids[2], "ids");
  expect (cameras->exposure_us[0] == 200 && cameras->exposure_us[1] == 350.5,
      "a number for each");
  expect (cameras->gain[0] == 3 && cameras->gain[1] == 3, "one for all");
  expect (isnan (cameras->offset_x[0]) && isnan (cameras->offset_y[1]),
      "none");
  expect (cameras->is_hardware && cameras->min_cameras == 1
      && strcmp (cameras->trigger_source, "Line0") == 0
      && strcmp (cameras->trigger_activation, "RisingEdge") == 0, "trigger");
  expect (!cameras->pixel_format && !cameras->features, "nothing else");
  expect (!g_array_index (config->lanes, LineLaneConfig, 0).cameras,
      "a simulation has none");
  end ();
  line_config_free (config);
  /* seven tenths of the deadline; of two cameras both */
  config = parse (CAMERAS "pixel-format=Mono8\n");
  cameras = g_array_index (config->lanes, LineLaneConfig, 1).cameras;
  check_that (!cameras->is_hardware && cameras->min_cameras == 2
      && cameras->timeout_ms == 35
      && strcmp (cameras->pixel_format, "Mono8") == 0, "what is not said");
  line_config_free (config);
}

/* Lanes beside the first two */
static gboolean
has_room (guint n)
{
  g_autoptr (GString) text = g_string_new (base);
  g_autoptr (GError) error = NULL;

  g_string_append (text, "source=simulate\n");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "[lane %u]\nsource=simulate\n", i);
  LineConfig *config = line_config_parse ("l.ini", text->str, text->len,
      &error);
  gboolean good = config && config->lanes->len == n + 2;
  if (!good)
    expect (strstr (error->message, "l.ini:1: there must be 1 to 128 groups "
            "[lane NAME], not 129") != NULL, "%s", error->message);
  g_clear_pointer (&config, line_config_free);
  return good;
}

CHECK (lanes)
{
  begin ("many lanes");
  expect (has_room (LINE_MAX_LANES - 2), "128");
  expect (!has_room (LINE_MAX_LANES - 1), "129");
  end ();
}

static gboolean
make_topic (const LinePublishConfig * config, const char *line,
    const char *lane, char topic[LINE_PUBLISH_TOPIC])
{
  LinePublishKey key;

  g_strlcpy (key.names[0], line, LINE_PUBLISH_NAME);
  g_strlcpy (key.names[1], lane, LINE_PUBLISH_NAME);
  return line_publish_config_topic (config, &key, topic);
}

/* The names of lines and lanes are put in at the end. */
CHECK (topics)
{
  LinePublishConfig config = {.kind = &line_publish_decisions,
    .transport = LINE_TRANSPORT_MQTT
  };
  char topic[LINE_PUBLISH_TOPIC];

  begin ("topics");
  config.topic = (char *) "{line}/{lane}";
  expect (make_topic (&config, "a", "b", topic)
      && strcmp (topic, "a/b") == 0, "%s", topic);
  expect (make_topic (&config, "{lane}", "b", topic)
      && strcmp (topic, "{lane}/b") == 0, "%s", topic);
  config.topic = (char *) "{line}";
  expect (!make_topic (&config, "", "b", topic), "empty");
  expect (!make_topic (&config, "\377", "b", topic), "no UTF-8");
  expect (!make_topic (&config, "a\nb", "b", topic), "two lines");
  g_autofree char *most = g_strnfill (LINE_PUBLISH_TOPIC - 1, 'a');
  config.topic = g_strdup (most);
  memcpy (config.topic, "{line}", 6);
  expect (make_topic (&config, "aaaaaa", "b", topic)
      && strcmp (topic, most) == 0, "the longest");
  expect (!make_topic (&config, "aaaaaaa", "b", topic), "longer");
  g_free (config.topic);
  config.transport = LINE_TRANSPORT_KAFKA;
  config.topic = (char *) "{lane}";
  expect (!make_topic (&config, "a", "", topic)
      && make_topic (&config, "a", "-", topic), "of Kafka");
  end ();
}

CHECKS
