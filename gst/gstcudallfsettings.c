/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstcudallfsettings.h"

#include "shapes/gstshapesenum.h"

enum
{
  PROP_AMOUNT = GST_CUDA_LLF_FIRST_PROPERTY,
  PROP_SIGMA,
  PROP_ALPHA,
  PROP_BETA,
  PROP_CURVE,
  PROP_QUALITY,
  PROP_LEVELS,
  PROP_LEVEL_WEIGHTS,
  PROP_CHROMA,
  PROP_RANK,
  PROP_INTENSITY_LEVELS,
};

#define DEFAULT_AMOUNT 1.0
#define MAX_AMOUNT 10.0
#define DEFAULT_CHROMA GST_CUDA_LLF_CHROMA_KEEP

GST_SHAPES_DEFINE_ENUM_TYPE (static, quality_get_type, "GstCudaLlfQuality",
    {CS_LLF_FAST, "Four terms", "fast"},
    {CS_LLF_NORMAL, "Up to eight terms, as many as it takes", "normal"},
    {CS_LLF_HIGH, "Up to sixteen terms, as many as it takes", "high"},
    {CS_LLF_EXACT, "The definition; for a fast GPU, or for pictures", "exact"},
    {CS_LLF_SAMPLED, "Interpolated between intensities, as in Aubry et al.",
        "sampled"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, curve_get_type, "GstCudaLlfCurve",
    {CS_LLF_POWER, "A power within sigma, a line beyond, as in Paris et al.",
        "power"},
    {CS_LLF_SMOOTH, "From one slope to the other without a bend", "smooth"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, chroma_get_type, "GstCudaLlfChroma",
    {GST_CUDA_LLF_CHROMA_KEEP, "Leave chroma as it is", "keep"},
    {GST_CUDA_LLF_CHROMA_SCALE, "Multiply chroma as luma", "scale"})

void
gst_cuda_llf_settings_init (GstCudaLlfSettings * settings)
{
  *settings = (GstCudaLlfSettings) {
    .amount = DEFAULT_AMOUNT,
    .chroma = DEFAULT_CHROMA,
  };
  cs_llf_params_init (&settings->table);
}

static void
set_weights (GstCudaLlfSettings * settings, const GValue * array)
{
  guint i;

  settings->n_weights = MIN (gst_value_array_get_size (array),
      CS_LLF_MAX_LEVELS);
  for (i = 0; i < settings->n_weights; i++)
    settings->weights[i] =
        g_value_get_double (gst_value_array_get_value (array, i));
}

static void
get_weights (const GstCudaLlfSettings * settings, GValue * array)
{
  GValue value = G_VALUE_INIT;
  guint i;

  g_value_init (&value, G_TYPE_DOUBLE);
  for (i = 0; i < settings->n_weights; i++) {
    g_value_set_double (&value, settings->weights[i]);
    gst_value_array_append_value (array, &value);
  }
  g_value_unset (&value);
}

static gboolean
is_same_table (const CsLlfParams * a, const CsLlfParams * b)
{
  return a->quality == b->quality && a->curve == b->curve &&
      a->sigma == b->sigma && a->alpha == b->alpha && a->beta == b->beta &&
      a->rank == b->rank && a->intensity_levels == b->intensity_levels;
}

gboolean
gst_cuda_llf_settings_set (GstCudaLlfSettings * settings, GObject * object,
    guint id, const GValue * value, GParamSpec * pspec)
{
  CsLlfParams *table = &settings->table;
  const CsLlfParams before = *table;

  switch (id) {
    case PROP_AMOUNT:
      settings->amount = g_value_get_double (value);
      break;
    case PROP_SIGMA:
      table->sigma = g_value_get_double (value);
      break;
    case PROP_ALPHA:
      table->alpha = g_value_get_double (value);
      break;
    case PROP_BETA:
      table->beta = g_value_get_double (value);
      break;
    case PROP_CURVE:
      table->curve = (CsLlfCurve) g_value_get_enum (value);
      break;
    case PROP_QUALITY:
      table->quality = (CsLlfQuality) g_value_get_enum (value);
      break;
    case PROP_LEVELS:
      settings->levels = g_value_get_uint (value);
      break;
    case PROP_LEVEL_WEIGHTS:
      set_weights (settings, value);
      break;
    case PROP_CHROMA:
      settings->chroma = (GstCudaLlfChroma) g_value_get_enum (value);
      break;
    case PROP_RANK:
      table->rank = g_value_get_uint (value);
      break;
    case PROP_INTENSITY_LEVELS:
      table->intensity_levels = g_value_get_uint (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  return !is_same_table (&before, table);
}

void
gst_cuda_llf_settings_get (const GstCudaLlfSettings * settings,
    GObject * object, guint id, GValue * value, GParamSpec * pspec)
{
  const CsLlfParams *table = &settings->table;

  switch (id) {
    case PROP_AMOUNT:
      g_value_set_double (value, settings->amount);
      break;
    case PROP_SIGMA:
      g_value_set_double (value, table->sigma);
      break;
    case PROP_ALPHA:
      g_value_set_double (value, table->alpha);
      break;
    case PROP_BETA:
      g_value_set_double (value, table->beta);
      break;
    case PROP_CURVE:
      g_value_set_enum (value, table->curve);
      break;
    case PROP_QUALITY:
      g_value_set_enum (value, table->quality);
      break;
    case PROP_LEVELS:
      g_value_set_uint (value, settings->levels);
      break;
    case PROP_LEVEL_WEIGHTS:
      get_weights (settings, value);
      break;
    case PROP_CHROMA:
      g_value_set_enum (value, settings->chroma);
      break;
    case PROP_RANK:
      g_value_set_uint (value, table->rank);
      break;
    case PROP_INTENSITY_LEVELS:
      g_value_set_uint (value, table->intensity_levels);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
}

/* Descriptions */

#define LIVE (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | \
    GST_PARAM_MUTABLE_PLAYING)
#define ANIMATED (LIVE | GST_PARAM_CONTROLLABLE)

static void
install_look (GObjectClass * klass, const CsLlfParams * defaults)
{
  g_object_class_install_property (klass, PROP_AMOUNT,
      g_param_spec_double ("amount", "Amount",
          "How much of the filter's effect to add: 0 leaves frames as they are, "
          "untouched, 1 is the filter, 2 twice its effect, and less than 0 the "
          "opposite. Costs nothing to change.",
          -MAX_AMOUNT, MAX_AMOUNT, DEFAULT_AMOUNT, ANIMATED));
  g_object_class_install_property (klass, PROP_SIGMA,
      g_param_spec_double ("sigma", "Sigma",
          "What differs from its surroundings by less is detail, what differs "
          "by more an edge, as a share of black to white: 0.1 for fine texture, "
          "0.2 to 0.4 for local contrast.",
          0.001, 4., defaults->sigma, LIVE));
  g_object_class_install_property (klass, PROP_ALPHA,
      g_param_spec_double ("alpha", "Alpha",
          "What to do with detail: less than 1 brings it out (0.5: twice as "
          "much), more than 1 smooths it away, 1 leaves it.",
          0.05, 10., defaults->alpha, LIVE));
  g_object_class_install_property (klass, PROP_BETA,
      g_param_spec_double ("beta", "Beta",
          "What to do with edges: less than 1 makes them smaller, which "
          "compresses the range of tones, more than 1 larger, 1 leaves them.",
          0., 4., defaults->beta, LIVE));
  g_object_class_install_property (klass, PROP_CURVE,
      g_param_spec_enum ("curve", "Curve",
          "How alpha goes over to beta. \"smooth\" has no bend, costs least, "
          "and limits the gain of detail to 3.24; \"power\" is that of the "
          "filter's inventors, which brings out faint detail more, and noise "
          "below 0.01 not at all.",
          curve_get_type (), defaults->curve, LIVE));
  g_object_class_install_property (klass, PROP_LEVELS,
      g_param_spec_uint ("levels", "Levels",
          "How many levels of the pyramid to use; 0 means all, down to a side of "
          "one pixel. Fewer are not faster to speak of, and leave what is large "
          "as it is. The coarsest one counts, but is never changed: 1 changes "
          "nothing.", 0, CS_LLF_MAX_LEVELS, 0, LIVE));
  g_object_class_install_property (klass, PROP_LEVEL_WEIGHTS,
      gst_param_spec_array ("level-weights", "Weights of levels",
          "Factors for the effect at each level of the pyramid, the finest "
          "first; levels without one have 1. \"<0.0,0.5>\" does not bring out "
          "grain. Costs nothing to change.",
          g_param_spec_double ("weight", "Weight", "Factor of a level.",
              -100., 100., 1., G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS),
          LIVE));
  g_object_class_install_property (klass, PROP_CHROMA,
      g_param_spec_enum ("chroma", "Chroma",
          "What becomes of the colour of YUV: \"keep\" leaves it, \"scale\" "
          "multiplies it as luma, so that colours look as strong as before. "
          "The colour of RGB is always scaled.",
          chroma_get_type (), DEFAULT_CHROMA, LIVE));
}

static void
install_computation (GObjectClass * klass, const CsLlfParams * defaults)
{
  g_object_class_install_property (klass, PROP_QUALITY,
      g_param_spec_enum ("quality", "Quality",
          "How coefficients are computed: as a sum of few products, whose error "
          "\"error-bound\" bounds; exactly, every one from all its pixels; or "
          "interpolated between \"intensity-levels\" filtered pictures, as "
          "other programs do, for comparison.",
          quality_get_type (), defaults->quality, LIVE));
  g_object_class_install_property (klass, PROP_RANK,
      g_param_spec_uint ("rank", "Rank",
          "Number of products for qualities fast, normal and high; 0 takes as "
          "many as the quality allows and the curve needs. 4, 8, 16 and 32 use "
          "the processor best.", 0, CS_LLF_MAX_RANK, 0, LIVE));
  g_object_class_install_property (klass, PROP_INTENSITY_LEVELS,
      g_param_spec_uint ("intensity-levels", "Intensity levels",
          "Number of intensities for quality sampled.",
          2, CS_LLF_MAX_RANK, defaults->intensity_levels, LIVE));
}

void
gst_cuda_llf_settings_install (GObjectClass * klass)
{
  CsLlfParams defaults;

  cs_llf_params_init (&defaults);
  install_look (klass, &defaults);
  install_computation (klass, &defaults);
  gst_type_mark_as_plugin_api (quality_get_type (), 0);
  gst_type_mark_as_plugin_api (curve_get_type (), 0);
  gst_type_mark_as_plugin_api (chroma_get_type (), 0);
}
