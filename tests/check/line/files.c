/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The files that are shipped, and what is wrong with each of many changed
 * ones. */

#include "check.h"
#include "checks.h"
#include "settings.h"
#include "recipe.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

/* As long as a name may be */
#define LONG_NAME "abcdefgh_ijklmno0pqrstuv1wxyzabc2defghij3klmnopq4rstuvwx5yzabcde"

typedef struct
{
  const char *what, *from, *to, *error;
} Change;

/* What is good; @error: the key by which a line would have to start anew; NULL if
 * it goes on */
static const Change good_changes[] = {
  {"nothing", "level=0.5", "level=0.5", NULL},
  {"the longest class", "belt;skin", LONG_NAME ";skin", "\"classes\""},
  {"the longest name", "name=apricot", "name=" LONG_NAME, NULL},
  {"tabs", "level=0.5", "\tlevel\t=\t0.5", NULL},
  {"an outlet", "outlet=8", "outlet=7", NULL},
  {"a long one", "rot-mm2=10", "rot-mm2=10\nmin-elongation=1.3", NULL},
  {"a colour", "rot-mm2=10", "rot-mm2=10\nmin-hue=-20", "colours"},
  {"colours to be told", "[limits extra]", "[colour red]\nmin-a=20\n"
        "[limits extra]", "colours"},
  {"a class more", "belt;skin", "belt;leaf;skin", "\"classes\""},
  {"less fruit", "fruit=skin;stem", "fruit=skin", "\"fruit\""},
  {"other fruit", "fruit=skin;stem", "fruit=skin;roller", "\"fruit\""},
  {"fruit in another order", "fruit=skin;stem", "fruit=stem;skin", NULL},
  {"more defects", "defects=", "defects=stem;", "\"defects\""},
  {"other levels", "level=0.5", "level=0.45", "\"level\""},
  {"other levels of classes", "class-level=0.3", "class-level=0.25",
      "\"class-level\""},
  {"smaller marks", "min-area=1", "min-area=0.75", "\"min-area\""},
  {"smaller fruit", "min-diameter-mm=20", "min-diameter-mm=19", NULL},
  {"classes that overlap", "level=0.5", "level=0.5\nexclusive=false",
      "\"exclusive\""},
  {"logits", "level=0.5", "level=0.5\nlogits=true", "\"logits\""},
};

static const Change recipe_changes[] = {
  {"a colour of everything", "[limits extra]", "[colour red]\n[limits extra]",
      "apricot.ini:28: everything is of colour \"red\": write min-"},
  {"a colour of nothing", "[limits extra]", "[colour red]\nmin-a=20\nmax-a=19\n"
        "[limits extra]", "apricot.ini:28: nothing is of colour \"red\": max-a"},
  {"a colour beyond codes", "[limits extra]", "[colour red]\nmin-a=128\n"
        "[limits extra]", "apricot.ini:29: \"min-a\" is 128, and must be"},
  {"a colour of capitals", "[limits extra]", "[colour Red]\nmin-a=20\n"
        "[limits extra]", "apricot.ini:28: colour \"Red\": names have"},
  {"a hue of pixels", "[limits extra]", "[colour red]\nmin-a=20\nmin-hue=20\n"
        "[limits extra]", "apricot.ini:30: unknown key \"min-hue\""},
  {"a share of no colour", "rot-mm2=10", "min-red-percent=10",
      "apricot.ini:29: \"min-red-percent\" limits nothing"},
  {"a share beyond all", "[limits extra]", "[colour red]\nmin-a=20\n"
        "[limits extra]\nmin-red-percent=100.5", "apricot.ini:31: "
        "\"min-red-percent\" is 100.5, and must be"},
  {"neither least nor greatest", "rot-mm2=10", "lightness=10",
      "apricot.ini:29: \"lightness\" limits nothing"},
  {"shorter than round", "rot-mm2=10", "max-elongation=0.9",
      "apricot.ini:29: \"max-elongation\" is 0.9, and must be"},
  {"a hue of a turn", "rot-mm2=10", "max-hue=200",
      "apricot.ini:29: \"max-hue\" is 200, and must be"},
  {"a wrong number", "min-looks=10", "min-looks=10.5",
      "apricot.ini:13: \"min-looks\" is 10.5, and must be whole"},
  {"no number", "level=0.5", "level=half",
      "apricot.ini:8: \"level\" is half, and must be a number from 0.01"},
  {"an infinite number", "level=0.5", "level=nan", "apricot.ini:8: "},
  {"an unknown key", "min-area=1", "min-aria=1",
      "apricot.ini:10: unknown key \"min-aria\": correct or remove it"},
  {"an unknown group", "[size small]", "[sizes small]",
      "apricot.ini:19: unknown group \"sizes small\""},
  {"a number of two lines", "rot-mm2=10", "rot-mm2=1\\n2",
      "apricot.ini:29: \"rot-mm2\" has the end of a line"},
  {"a missing size", "size=small", "size=tiny",
      "apricot.ini:62: there is no [size tiny]"},
  {"missing limits", "limits=extra", "limits=exquisite",
      "apricot.ini:51: there is no [limits exquisite]"},
  {"a limit of nothing", "rot-mm2=10", "root-mm2=10",
      "apricot.ini:29: \"root-mm2\" limits nothing"},
  {"a limit of sound skin", "rot-mm2=10", "skin-mm2=10",
      "apricot.ini:29: \"skin-mm2\" limits nothing"},
  {"a missing outlet", "outlet=8\n", "",
      "apricot.ini:73: [rule reject] lacks the key \"outlet\""},
  {"an outlet too many", "outlet=8", "outlet=65536", "apricot.ini:74: "},
  {"no rule for the rest", "outlet=8", "outlet=8\nsize=small",
      "apricot.ini:73: the last rule must have no size"},
  {"a rule that hides others", "size=small\nlimits=class1\nstatus=ok", "",
      "apricot.ini:60: a rule without size, limits and status"},
  {"a status that no rule sees", "status=ok", "status=undecided",
      "apricot.ini:52: \"status\" is of ok, partial and late"},
  {"a class twice", "belt;skin", "belt;belt", "apricot.ini:5: class \"belt\""},
  {"a class that is not there", "defects=bruise;", "defects=bruise;spot;",
      "apricot.ini:7: \"defects\" names \"spot\""},
  {"a group twice", "[size large]", "[size small]",
      "apricot.ini:23: group \"size small\" is there already, in line 19"},
  {"a key twice", "min-mm=30", "min-mm=30\nmin-mm=31",
      "apricot.ini:21: key \"min-mm\" is there already, in line 20"},
  {"an empty size", "max-mm=40", "max-mm=30",
      "apricot.ini:21: size \"small\" is empty"},
  {"a line of words", "[size small]", "small\n[size small]",
      "apricot.ini:19: neither [group] nor key=value"},
  {"no UTF-8", "name=apricot", "name=\xff", "apricot.ini:3: not UTF-8"},
  {"a rule that a terminal obeys", "[rule reject]", "[rule re\033[2Jject]",
      "apricot.ini:73: the character U+001B cannot be seen"},
  {"text that runs backwards", "[rule reject]", "# \342\200\256\n[rule reject]",
      "apricot.ini:73: the character U+202E cannot be seen"},
  {"a rule that is a formula", "[rule reject]", "[rule =1+1]",
      "apricot.ini:73: \"=1+1\": a name has 1 to 64 letters"},
  {"a recipe of two lines", "name=apricot", "name=a\\nb",
      "apricot.ini:3: \"name\" has the end of a line"},
  {"a recipe in HTML", "name=apricot", "name=a<b>",
      "apricot.ini:3: \"a<b>\": a name has 1 to 64 letters"},
  {"a class of two lines", "belt;skin", "belt\\nskin",
      "apricot.ini:5: \"classes\" has the end of a line"},
  {"a number and more", "level=0.5", "level=0.5x",
      "apricot.ini:8: \"level\" is 0.5x, and must be a number"},
  {"a class of 65 letters", "belt;skin", LONG_NAME "a;skin",
      "apricot.ini:5: class \"" LONG_NAME "a\""},
  {"a class of capitals", "belt;skin", "Belt;skin",
      "apricot.ini:5: class \"Belt\""},
  {"a class of another letter at its end", "belt;skin", "belt-;skin",
      "apricot.ini:5: class \"belt-\""},
  {"a class of all defects", "belt;skin", "defect;skin",
      "apricot.ini:5: class \"defect\""},
  {"fruit twice", "fruit=skin;", "fruit=skin;skin;",
      "apricot.ini:6: \"fruit\" names \"skin\""},
  {"a limit as long as that of all defects", "rot-mm2=10", "apples-mm2=10",
      "apricot.ini:29: \"apples-mm2\" limits nothing"},
  {"limits of nothing", "[limits extra]", "[limits none]\n[limits extra]",
      "apricot.ini:28: [limits none] has no limit"},
  {"no size of some", "size=large", "size=",
      "apricot.ini:50: \"size\" names none"},
  {"a status that is none", "status=ok", "status=good",
      "apricot.ini:52: \"status\" is of ok, partial and late, not \"good\""},
  {"no status of some", "status=ok", "status=",
      "apricot.ini:52: \"status\" names none"},
  {"a recipe of 65 letters", "name=apricot", "name=" LONG_NAME "a",
      "apricot.ini:3: \"" LONG_NAME "a\": a name has 1 to 64 letters"},
  {"a recipe of 66 letters", "name=apricot", "name=" LONG_NAME "ab",
      "apricot.ini:3: \"" LONG_NAME "ab\": a name has 1 to 64 letters"},
  {"a group without a name", "[size small]", "[]\n[size small]",
      "apricot.ini:19: neither [group] nor key=value"},
  {"a size without a name", "[size small]", "[size ]",
      "apricot.ini:19: unknown group \"size"},
  {"a value without a key", "min-mm=30", "=30",
      "apricot.ini:20: neither [group] nor key=value"},
  {"a key of no group", "# Apricots", "a=1\n# Apricots",
      "apricot.ini:1: a key before the first [group]"},
  {"a group that ends twice", "[size small]", "[size] small]",
      "apricot.ini:1: "},
  /* the hashes of these are equal */
  {"two keys of one hash", "level=0.5", "level=0.5\nab=1\nbA=1",
      "apricot.ini:10: unknown key \"bA\""},
  {"two groups of one hash", "[size small]", "[ab]\n[bA]\n[size small]",
      "apricot.ini:20: unknown group \"bA\""},
  {"two faults", "level=0.5\nclass-level=0.3", "level=5\nclass-level=3",
      "0.99\napricot.ini:9: "},
};

static const Change config_changes[] = {
  {"a line of two lines", "name=line1", "name=a\\nb",
      "line1.ini:3: \"name\" has the end of a line"},
  {"a line that is all topics", "name=line1", "name=#",
      "line1.ini:3: \"#\": a name has 1 to 64 letters"},
  {"a folder of two lines", "deadline-ms=50", "deadline-ms=50\naddress=a b",
      "line1.ini:7: \"address\" must be a host"},
  {"no deadline", "deadline-ms=50\n", "",
      "line1.ini:2: [line] lacks the key \"deadline-ms\""},
  {"a deadline of nothing", "deadline-ms=50", "deadline-ms=0",
      "line1.ini:6: \"deadline-ms\" is 0, and must be a number from 1"},
  {"cups outside of the picture", "cups=5", "cups=6",
      "line1.ini:13: the last cup's centre is at column 561 of view 0, outside"},
  {"a view upside down", "tilt=-45;", "tilt=-95;",
      "line1.ini:19: \"-95\" in \"tilt\" must be a number from -90 to 90"},
  {"a lane outside of its folder", "[lane lane1]", "[lane ../lane1]",
      "line1.ini:21: a lane's name has 1 to 64 of"},
  {"neither true nor false", "deadline-ms=50", "deadline-ms=50\nrecord=yes",
      "line1.ini:7: \"record\" is true or false, not \"yes\""},
  {"an unknown backend", "deadline-ms=50", "deadline-ms=50\nbackend=gpu",
      "line1.ini:7: \"backend\" is auto, cpu or cuda, not \"gpu\""},
  {"pictures without end", "deadline-ms=50", "deadline-ms=50\npictures=1000",
      "line1.ini:7: \"pictures\" is 1000, and must be a number from 0 to 999"},
  {"rollers that stand", "travel-mm=28.9", "travel-mm=0",
      "line1.ini:17: \"travel-mm\" is 0: of pieces that do not turn say "
        "\"turn=0\""},
  {"an unknown source", "source=simulate", "source=film",
      "line1.ini:22: \"source\" is simulate, replay or camera, not \"film\""},
  {"a replay of nothing", "source=simulate", "source=replay",
      "line1.ini:21: [lane lane1] lacks the key \"location\""},
  {"noise of a half", "seed=1\n", "seed=1\nnoise-seed=0.5\n",
      "line1.ini:24: \"noise-seed\" is 0.5, and must be whole"},
  {"more empty cups than cups", "seed=1\n", "seed=1\nempty=1.5\n",
      "line1.ini:24: \"empty\" is 1.5, and must be a number from 0 to 1"},
  {"a blemish that is none", "seed=1\n", "seed=1\nblemish=stem\n",
      "line1.ini:24: \"blemish\" is none, bruise, rot, scab, russet, hail, "
        "scar or insect, not \"stem\""},
  {"a lamp of no view", "seed=1\n", "seed=1\ndark=0;4\n",
      "line1.ini:24: \"dark\" has numbers of views, 0 to 3, between semicolons, "
        "not \"4\""},
  {"more than all pieces", "seed=1\n", "seed=1\nstill=0.6\nhop=0.5\n",
      "line1.ini:25: \"still\" and \"hop\" are shares of the same pieces"},
  {"a network of nothing", "seed=1\n", "seed=1\nnetwork=\n",
      "line1.ini:24: \"network\" has no value"},
  {"a network of spaces", "seed=1\n", "seed=1\nnetwork=\\s\n",
      "line1.ini:24: \"network\" is no command: "},
  {"a network with half a quotation", "seed=1\n", "seed=1\nnetwork=a 'b c\n",
      "line1.ini:24: \"network\" is no command: "},
  {"a network without time", "seed=1\n",
      "seed=1\nnetwork=a\nnetwork-timeout-ms=0\n",
      "line1.ini:25: \"network-timeout-ms\" is 0, and must be a number from 1"},
  {"a network with too much time", "seed=1\n",
      "seed=1\nnetwork=a\nnetwork-start-ms=60001\n",
      "line1.ini:25: \"network-start-ms\" is 60001, and must be a number from"},
  {"a network of recorded tensors", "source=simulate\nseed=1\n",
      "source=replay\nlocation=a\nnetwork=b\n",
      "line1.ini:24: unknown key \"network\""},
  {"old decisions without segments", "deadline-ms=50",
      "deadline-ms=50\nkeep-mb=1", "line1.ini:7: \"keep-mb\" and \"keep-days\" "
        "need \"segment-mb\""},
  {"a segment of nothing", "deadline-ms=50", "deadline-ms=50\nsegment-mb=0",
      "line1.ini:7: \"segment-mb\" is 0, and must be a number from 0.01"},
  {"a broker without a host", "[geometry]", "[publish]\n[geometry]",
      "line1.ini:9: [publish] lacks the key \"host\""},
  {"Kafka without brokers", "[geometry]", "[publish]\ntransport=kafka\n"
        "[geometry]", "line1.ini:9: [publish] lacks the key \"brokers\""},
  {"an unknown transport", "[geometry]", "[publish]\ntransport=amqp\nhost=a\n"
        "[geometry]", "line1.ini:10: \"transport\" is mqtt or kafka, not"},
  {"MQTT's key for Kafka", "[geometry]", "[publish]\ntransport=kafka\n"
        "brokers=a\nhost=b\n[geometry]", "line1.ini:12: unknown key \"host\""},
  {"a topic that is a pattern", "[geometry]", "[publish]\nhost=a\n"
        "topic={line}/#\n[geometry]", "line1.ini:11: with line \"line1\", "
        "\"{line}/#\" is no topic"},
  {"a topic that Kafka has not", "[geometry]", "[publish]\ntransport=kafka\n"
        "brokers=a\ntopic={line}/{lane}\n[geometry]",
      "line1.ini:12: with line \"line1\", \"{line}/{lane}\" is no topic"},
  {"MQTT 3.1", "[geometry]", "[publish]\nhost=a\nmqtt-version=4\n[geometry]",
      "line1.ini:11: \"mqtt-version\" is 3, for 3.1.1, or 5"},
  {"a password of nobody", "[geometry]", "[publish]\nhost=a\n"
        "password-file=b\n[geometry]", "line1.ini:11: \"password-file\" needs "
        "\"username\""},
  {"a certificate without its key", "[geometry]", "[publish]\nhost=a\n"
        "ca-file=c\ncert-file=b\n[geometry]", "line1.ini:12: \"cert-file\" and "
        "\"key-file\" need each other"},
  {"more on their way than there is room for", "[geometry]",
      "[publish]\nhost=a\nin-flight=1001\n[geometry]",
      "line1.ini:11: \"in-flight\" is 1001, and must be a number from 1"},
  {"an option without a value", "[geometry]", "[publish]\ntransport=kafka\n"
        "brokers=a\noptions=linger.ms\n[geometry]",
      "line1.ini:12: part 1 of \"options\" must be NAME=VALUE"},
  {"a password among options", "[geometry]", "[publish]\ntransport=kafka\n"
        "brokers=a\noptions=linger.ms=1;sasl.password=b\n[geometry]",
      "line1.ini:12: \"sasl.password\" is a secret"},
  {"a key among options", "[geometry]", "[publish]\ntransport=kafka\n"
        "brokers=a\noptions= ssl.key.pem = b\n[geometry]",
      "line1.ini:12: \"ssl.key.pem\" is a secret"},
  {"brokers among options", "[geometry]", "[publish]\ntransport=kafka\n"
        "brokers=a\noptions=metadata.broker.list=b\n[geometry]",
      "line1.ini:12: \"metadata.broker.list\": write brokers"},
  {"a password in the configuration", "[geometry]", "[publish]\nhost=a\n"
        "tls=true\nusername=b\npassword=c\n[geometry]",
      "line1.ini:13: recordings copy this file: write the password"},
  {"a password in a host", "[geometry]", "[publish]\nhost=a:b@c\n[geometry]",
      "line1.ini:10: \"host\" must be a host"},
  {"a password in a broker", "[geometry]", "[publish]\ntransport=kafka\n"
        "brokers=a:1,b:c@d\n[geometry]",
      "line1.ini:11: \"brokers\" must be a host"},
  {"a password that all may read", "[geometry]", "[publish]\nhost=a\n"
        "username=b\n[geometry]", "line1.ini:11: without TLS everybody"},
  {"a password that all may read, of some", "[geometry]", "[publish]\n"
        "transport=kafka\nbrokers=localhost:1,a:2\nusername=b\n[geometry]",
      "line1.ini:12: without TLS everybody"},
  {"secrets that all may read", "[geometry]", "[publish]\ntransport=kafka\n"
        "brokers=a\nsecrets-file=b\n[geometry]",
      "line1.ini:9: without TLS everybody"},
  {"TLS that is taken away", "[geometry]", "[publish]\ntransport=kafka\n"
        "brokers=a\ntls=true\noptions=security.protocol=PLAINTEXT\n[geometry]",
      "line1.ini:13: \"security.protocol\" is without TLS"},
  {"TLS and not", "[geometry]", "[publish]\nhost=a\nca-file=b\ntls=false\n"
        "[geometry]", "line1.ini:12: \"tls\" is false"},
  {"no lane", "[lane lane1]\nsource=simulate\nseed=1\n", "",
      "line1.ini:2: there must be 1 to 128 groups [lane NAME], not 0"},
};

static char *
replace (const char *text, const Change * change)
{
  char **parts = g_strsplit (text, change->from, 2);

  g_assert (parts[0] && parts[1]);
  char *changed = g_strconcat (parts[0], change->to, parts[1], NULL);
  g_strfreev (parts);
  return changed;
}

/* Without what makes the simulated lane slip. */
static char *
read_shipped (const char *name)
{
  char *path = g_build_filename (LINE_FILES, name, NULL), *text = NULL;

  g_file_get_contents (path, &text, NULL, NULL);
  g_assert (text);
  char *slip = strstr (text, "# as on a real line");
  char *seed = strstr (text, "seed=1");
  if (slip && seed)
    memmove (slip, seed, strlen (seed) + 1);
  g_free (path);
  return text;
}

static void
check_changes (const char *name, const Change * changes, guint n,
    gboolean is_recipe)
{
  g_autofree char *text = read_shipped (name);

  for (guint i = 0; i < n; i++) {
    g_autofree char *changed = replace (text, &changes[i]);
    g_autoptr (GError) error = NULL;
    gpointer made = is_recipe ?
        (gpointer) line_recipe_parse (name, changed, strlen (changed), &error) :
        (gpointer) line_config_parse (name, changed, strlen (changed), &error);

    check_that (!made && error && strstr (error->message, changes[i].error),
        "%s: %s", changes[i].what, error ? error->message : "no error");
  }
}

CHECK (recipe)
{
  g_autofree char *path = g_build_filename (LINE_FILES, "apricot.ini", NULL);
  GError *error = NULL;
  LineRecipe *recipe = line_recipe_load (path, &error);

  begin ("the recipe of apricots");
  expect (recipe != NULL, "%s", error ? error->message : "");
  if (recipe) {
    expect (recipe->n_classes == 12 && recipe->n_fruit == 10
        && recipe->n_defects == 7 && recipe->defects[0] == 5, "classes");
    LineLimits *limits = &g_array_index (recipe->limits, LineLimits, 1);
    expect (limits->limits->len == 8, "%u limits", limits->limits->len);
    LineRule *rule = &g_array_index (recipe->rules, LineRule, 0);
    expect (rule->outlet == 1 && rule->sizes == 2 && rule->limits == 0
        && rule->statuses == 1 << LINE_STATUS_OK, "first rule");
    expect (strlen (recipe->hash) == 64, "hash");
    line_recipe_unref (recipe);
  }
  end ();
}

/* With the lines' ends of another system, too */
CHECK (good)
{
  g_autofree char *text = read_shipped ("apricot.ini");
  LineRecipe *shipped = line_recipe_parse ("a", text, strlen (text), NULL);

  for (guint i = 0; i < 2 * G_N_ELEMENTS (good_changes); i++) {
    const Change *change = &good_changes[i / 2];
    g_autofree char *changed = replace (text, change);
    char **lines = g_strsplit (changed, "\n", -1);
    g_autofree char *joined = g_strjoinv (i % 2 ? "\r\n" : "\n", lines);
    GError *error = NULL;
    LineRecipe *recipe =
        line_recipe_parse ("a", joined, strlen (joined), &error);

    begin ("%s", change->what);
    expect (recipe != NULL, "%s", error ? error->message : "");
    g_clear_error (&error);
    if (recipe) {
      expect (line_recipe_is_compatible (shipped, recipe, &error) ==
          !change->error, "goes on");
      expect (!error == !change->error && (!error
              || strstr (error->message, change->error)), "%s",
          error ? error->message : "no error");
      g_clear_error (&error);
      line_recipe_unref (recipe);
    }
    end ();
    g_strfreev (lines);
  }
  line_recipe_unref (shipped);
}

/* Not larger than a file may be, whoever has read it */
CHECK (size)
{
  const gsize most = 1 << 20;
  g_autofree char *shipped = read_shipped ("apricot.ini");
  g_autofree char *text = g_malloc (most + 1);
  const gsize n = strlen (shipped);
  g_autoptr (GError) error = NULL;

  begin ("the largest file");
  memcpy (text, shipped, n);
  memset (text + n, '#', most + 1 - n);
  text[n] = '\n';
  LineRecipe *recipe = line_recipe_parse ("a", text, most, &error);
  expect (recipe != NULL, "%s", error ? error->message : "");
  g_clear_pointer (&recipe, line_recipe_unref);
  recipe = line_recipe_parse ("a", text, most + 1, &error);
  expect (!recipe && error && strstr (error->message, "larger than 1 MiB"),
      "a byte more");
  end ();
}

/* A copy of the recipe is made once, and not in a folder's place. */
CHECK (copy)
{
  g_autofree char *path = g_dir_make_tmp ("line-XXXXXX", NULL);
  char *text = read_shipped ("apricot.ini"), *copied = NULL;
  g_autoptr (LineFolder) folder = line_folder_open (path, FALSE, NULL);
  LineRecipe *recipe = line_recipe_parse ("a", text, strlen (text), NULL);
  g_autofree char *copy = line_recipe_name_copy (path, recipe->hash);
  g_autoptr (GError) error = NULL;

  begin ("copies of a recipe");
  expect (line_recipe_copy (recipe, folder, &error), "a copy");
  expect (g_file_get_contents (copy, &copied, NULL, NULL)
      && strcmp (copied, text) == 0, "of all of it");
  g_file_set_contents (copy, "kept", -1, NULL);
  g_free (copied);
  expect (line_recipe_copy (recipe, folder, &error), "it is there");
  expect (g_file_get_contents (copy, &copied, NULL, NULL)
      && strcmp (copied, "kept") == 0, "and is kept");
  g_free (copied);
  g_unlink (copy);
  g_mkdir (copy, 0700);
  expect (!line_recipe_copy (recipe, folder, &error) && error
      && strstr (error->message, copy), "%s",
      error ? error->message : "no error");
  g_rmdir (copy);
  expect (g_rmdir (path) == 0, "nothing is left");
  end ();
  line_recipe_unref (recipe);
  g_free (text);
}

/* One more byte at the end, which changes no value. */
CHECK (hash)
{
  g_autofree char *text = read_shipped ("apricot.ini");
  g_autoptr (LineRecipe) a = line_recipe_parse ("a", text, strlen (text), NULL);
  g_autofree char *other = g_strconcat (text, "\n", NULL);
  LineRecipe *b = line_recipe_parse ("a", other, strlen (other), NULL);

  check_that (a && b && strcmp (a->hash, b->hash) != 0,
      "the hash is of all bytes");
  line_recipe_unref (b);
}

/* Many times @piece, %u in it being a number, after @before. Returns: what is
 * wrong with it */
static char *
check_many (const char *before, const char *piece, guint n)
{
  g_autoptr (GString) text = g_string_new (before);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n; i++) {
    g_autofree char *number = g_strdup_printf ("%u", i);
    char **parts = g_strsplit (piece, "%u", -1);
    g_autofree char *joined = g_strjoinv (number, parts);

    g_string_append (text, joined);
    g_strfreev (parts);
  }
  g_assert_null (line_recipe_parse ("many", text->str, text->len, &error));
  return g_strdup (error->message);
}

static guint
count_lines (const char *text)
{
  guint n = 1;

  for (; *text; text++)
    n += *text == '\n';
  return n;
}

/* Each of these took minutes, or megabytes, if each line were compared with each
 * or each told. */
CHECK (much)
{
  static const struct
  {
    const char *what, *before, *piece;
    guint n;
    const char *told;
  } cases[] = {
    {"unknown keys", "[recipe]\n", "k%u=1\n", 19000, "more"},
    {"unknown groups", "[recipe]\n", "[g%u]\n", 19000, "more"},
    {"lines", "[recipe]\n", "k%u=1\n", 20000, "more than 20,000 lines"},
    {"sizes", "", "[size s%u]\n", 19000, "more than 64 groups [size NAME]"},
    {"limits", "", "[limits s%u]\na-mm2=1\n", 9000,
        "more than 256 groups [limits NAME]"},
    {"rules", "", "[rule s%u]\nlimits=a\n", 9000,
        "more than 256 groups [rule NAME]"},
    {"classes", "[recipe]\nclasses=", "a;", 500000,
        "\"classes\" has more than 128 parts"},
    {"fruits", "[recipe]\nfruit=", "a;", 500000,
        "\"fruit\" has more than 128 parts"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    char *told = check_many (cases[i].before, cases[i].piece, cases[i].n);
    const guint n = count_lines (told);

    check_that (n <= LINE_INI_PROBLEMS + 1 && strlen (told) < 30000
        && (strstr (told, cases[i].told) || n == LINE_INI_PROBLEMS + 1),
        "many %s: %u lines, %.5000s", cases[i].what, n, told);
    g_free (told);
  }
}

/* How many are left out is told. */
CHECK (left_out)
{
  g_autofree char *told = check_many ("[recipe]\n", "k%u=1\n", 1000);
  char *last = strrchr (told, '\n');
  guint n = 0;

  /* the keys, and what the recipe lacks */
  check_that (last && sscanf (last, "\nmany: and %u more", &n) == 1
      && n >= 1000 - 20 && n < 1000, "%u are left out: %s", n, told);
}

CHECK (config)
{
  g_autofree char *path = g_build_filename (LINE_FILES, "line1.ini", NULL);
  g_autofree char *recipe = g_build_filename (LINE_FILES, "apricot.ini", NULL);
  GError *error = NULL;
  LineConfig *config = line_config_load (path, &error);

  begin ("the configuration of line 1");
  expect (config != NULL, "%s", error ? error->message : "");
  if (config) {
    const LineGeometry *geometry = line_config_get_lane (config, 0)->geometry;

    expect (geometry->views == 4 && geometry->cups == 5
        && geometry->tilt[3] == 45, "geometry");
    expect (strcmp (config->recipe, recipe) == 0, "%s", config->recipe);
    expect (config->lanes->len == 1 && config->deadline_ms == 50, "lanes");
    line_config_free (config);
  }
  end ();
}

CHECK (simulation)
{
  Change change = { NULL, "seed=1\n",
    "seed=1\nnoise-seed=7\nempty=0.25\nblemish=rot\ntriggers=0\n"
        "network=./net 'a b.onnx'\nnetwork-timeout-ms=70\n"
        "slip=8\nstill=0.25\nhop=0.5\nirregular=0.01\ndark=3;0\ndark-from=9\n"
  };
  g_autofree char *text = read_shipped ("line1.ini");
  g_autofree char *changed = replace (text, &change);
  LineConfig *plain = line_config_parse ("a", text, strlen (text), NULL);
  LineConfig *config =
      line_config_parse ("b", changed, strlen (changed), NULL);

  begin ("the simulated lane's keys");
  expect (plain && config, "a configuration is refused");
  if (plain && config) {
    LineLaneConfig *lane = &g_array_index (plain->lanes, LineLaneConfig, 0);

    expect (lane->noise_seed == 1 && lane->empty == 0 && lane->blemish == 0
        && !lane->network && lane->triggers == 600,
        "without them");
    lane = &g_array_index (config->lanes, LineLaneConfig, 0);
    expect (lane->noise_seed == 7 && lane->empty == 0.25
        && lane->blemish == 6 && lane->triggers == 0, "with them");
    expect (lane->slip == 8 && lane->still == 0.25 && lane->hop == 0.5
        && lane->irregular == 0.01 && lane->dark == 9 && lane->dark_from == 9,
        "how pieces roll, and lamps");
    expect (g_strv_length (lane->network) == 2
        && strcmp (lane->network[0], "./net") == 0
        && strcmp (lane->network[1], "a b.onnx") == 0
        && lane->network_timeout_ms == 70 && lane->network_start_ms == 20000,
        "a network");
  }
  g_clear_pointer (&plain, line_config_free);
  g_clear_pointer (&config, line_config_free);
  end ();
}

/* When there is TLS, and when passwords are readable on the way. */
CHECK (publish)
{
  static const struct
  {
    const char *keys;
    gboolean has_tls, is_clear;
    guint port;
  } cases[] = {
    {"host=a", FALSE, FALSE, 1883},
    {"host=a\ntls=true", TRUE, FALSE, 8883},
    {"host=a\ntls=true\nport=1\nusername=b\npassword-file=c", TRUE, FALSE, 1},
    {"host=a\nca-file=b\nusername=c", TRUE, FALSE, 8883},
    {"host=a\ncert-file=b\nkey-file=c", TRUE, FALSE, 8883},
    {"host=localhost\nusername=b", FALSE, FALSE, 1883},
    {"host=127.9.8.7\nusername=b", FALSE, FALSE, 1883},
    {"host=::1\nusername=b", FALSE, FALSE, 1883},
    {"host=a\nusername=b\ncredentials-without-tls=true", FALSE, TRUE, 1883},
    {"host=a\ncredentials-without-tls=true", FALSE, FALSE, 1883},
    {"transport=kafka\nbrokers=a,b:1", FALSE, FALSE, 0},
    {"transport=kafka\nbrokers=127.0.0.1:1,[::1]:2\nusername=b", FALSE, FALSE,
        0},
    {"transport=kafka\nbrokers=a\nusername=b\noptions=a.b=c;"
          "security.protocol = SASL_SSL", TRUE, FALSE, 0},
    {"transport=kafka\nbrokers=a\noptions=security.protocol=sasl_plaintext\n"
          "credentials-without-tls=true", FALSE, TRUE, 0},
  };
  g_autofree char *shipped = read_shipped ("line1.ini");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    char *text = g_strdup_printf ("%s[publish]\n%s\n", shipped, cases[i].keys);
    g_autoptr (GError) error = NULL;
    LineConfig *config = line_config_parse ("a", text, strlen (text), &error);

    check_that (config && config->publish->has_tls == cases[i].has_tls
        && config->publish->is_clear == cases[i].is_clear
        && config->publish->port == cases[i].port, "%s: %s", cases[i].keys,
        error ? error->message : "something else");
    g_clear_pointer (&config, line_config_free);
    g_free (text);
  }
}

int
main (void)
{
  run_checks ();
  check_changes ("apricot.ini", recipe_changes, G_N_ELEMENTS (recipe_changes),
      TRUE);
  check_changes ("line1.ini", config_changes, G_N_ELEMENTS (config_changes),
      FALSE);
  return finish ();
}
