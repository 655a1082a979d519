/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstcudallfsettings.h"

#include "shapes/gstshapesenum.h"

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

typedef GstCudaLlfSettings Settings;

static GParamSpec *
new_weight (void)
{
  return g_param_spec_double ("weight", "Weight", "Factor of a level.", -100.,
      100., 1., G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
}

static gboolean
set_weights (gpointer values, const GValue * array)
{
  Settings *settings = values;
  guint i;

  settings->n_weights = MIN (gst_value_array_get_size (array),
      CS_LLF_MAX_LEVELS);
  for (i = 0; i < settings->n_weights; i++)
    settings->weights[i] =
        g_value_get_double (gst_value_array_get_value (array, i));
  return TRUE;
}

static void
get_weights (gconstpointer values, GValue * array)
{
  const Settings *settings = values;
  GValue value = G_VALUE_INIT;
  guint i;

  g_value_init (&value, G_TYPE_DOUBLE);
  for (i = 0; i < settings->n_weights; i++) {
    g_value_set_double (&value, settings->weights[i]);
    gst_value_array_append_value (array, &value);
  }
  g_value_unset (&value);
}

static const GstShapesProperty rows[] = {
  GST_SHAPES_DOUBLE (Settings, amount, "amount", "Amount", -10., 10., 1.,
      ANIMATED,
      "How much of the filter's effect to add: 0 leaves frames as they are, "
      "untouched, 1 is the filter, 2 twice its effect, and less than 0 the "
      "opposite. Costs nothing to change."),
  GST_SHAPES_DOUBLE (Settings, table.sigma, "sigma", "Sigma", 0.001, 4.,
      CS_LLF_DEFAULT_SIGMA, LIVE,
      "What differs from its surroundings by less is detail, what differs by "
      "more an edge, as a share of black to white: 0.1 for fine texture, 0.2 "
      "to 0.4 for local contrast.", .affects = GST_CUDA_LLF_TABLE),
  GST_SHAPES_DOUBLE (Settings, table.alpha, "alpha", "Alpha", 0.05, 10.,
      CS_LLF_DEFAULT_ALPHA, LIVE,
      "What to do with detail: less than 1 brings it out (0.5: twice as "
      "much), more than 1 smooths it away, 1 leaves it.",
      .affects = GST_CUDA_LLF_TABLE),
  GST_SHAPES_DOUBLE (Settings, table.beta, "beta", "Beta", 0., 4.,
      CS_LLF_DEFAULT_BETA, LIVE,
      "What to do with edges: less than 1 makes them smaller, which "
      "compresses the range of tones, more than 1 larger, 1 leaves them.",
      .affects = GST_CUDA_LLF_TABLE),
  GST_SHAPES_ENUM (Settings, table.curve, "curve", "Curve", curve_get_type,
      CS_LLF_DEFAULT_CURVE, LIVE,
      "How alpha goes over to beta. \"smooth\" has no bend, costs least, and "
      "limits the gain of detail to 3.24; \"power\" is that of the filter's "
      "inventors, which brings out faint detail more, and noise below 0.01 "
      "not at all.", .affects = GST_CUDA_LLF_TABLE),
  GST_SHAPES_ENUM (Settings, table.quality, "quality", "Quality",
      quality_get_type, CS_LLF_DEFAULT_QUALITY, LIVE,
      "How coefficients are computed: as a sum of few products, whose error "
      "\"error-bound\" bounds; exactly, every one from all its pixels; or "
      "interpolated between \"intensity-levels\" filtered pictures, as other "
      "programs do, for comparison.", .affects = GST_CUDA_LLF_TABLE),
  GST_SHAPES_UINT (Settings, levels, "levels", "Levels", 0, CS_LLF_MAX_LEVELS,
      0, LIVE,
      "How many levels of the pyramid to use; 0 means all, down to a side of "
      "one pixel. Fewer are not faster to speak of, and leave what is large "
      "as it is. The coarsest one counts, but is never changed: 1 changes "
      "nothing."),
  GST_SHAPES_ARRAY ("level-weights", "Weights of levels", new_weight, LIVE,
      "Factors for the effect at each level of the pyramid, the finest "
      "first; levels without one have 1. \"<0.0,0.5>\" does not bring out "
      "grain. Costs nothing to change.",
      .set = set_weights, .get = get_weights),
  GST_SHAPES_ENUM (Settings, chroma, "chroma", "Chroma", chroma_get_type,
      GST_CUDA_LLF_CHROMA_KEEP, LIVE,
      "What becomes of the colour of YUV: \"keep\" leaves it, \"scale\" "
      "multiplies it as luma, so that colours look as strong as before. The "
      "colour of RGB is always scaled."),
  GST_SHAPES_UINT (Settings, table.rank, "rank", "Rank", 0,
      CS_LLF_MAX_RANK, CS_LLF_DEFAULT_RANK, LIVE,
      "Number of products for qualities fast, normal and high; 0 takes as "
      "many as the quality allows and the curve needs. 4, 8, 16 and 32 use "
      "the processor best.", .affects = GST_CUDA_LLF_TABLE),
  GST_SHAPES_UINT (Settings, table.intensity_levels, "intensity-levels",
      "Intensity levels", 2, CS_LLF_MAX_RANK, CS_LLF_DEFAULT_INTENSITY_LEVELS,
      LIVE,
      "Number of intensities for quality sampled.",
      .affects = GST_CUDA_LLF_TABLE),
  GST_SHAPES_DOUBLE (Settings, error_bound, "error-bound", "Error bound", -1.,
      G_MAXDOUBLE, GST_CUDA_LLF_UNKNOWN_BOUND, READ_ONLY,
      "How far any pixel of any frame of this size can lie from the exact "
      "filter's, in 8-bit codes, with an amount and weights of 1; usual errors "
      "are a small part of it. -1 until there are caps."),
  GST_SHAPES_UINT (Settings, active_rank, "active-rank", "Active rank", 0,
      CS_LLF_MAX_RANK, 0, READ_ONLY,
      "How many products are used now; 0 when it is computed exactly, when "
      "there is nothing to do, and until there are caps."),
};

const GstShapesProperties gst_cuda_llf_properties =
    GST_SHAPES_PROPERTIES (rows, Settings, 1);
