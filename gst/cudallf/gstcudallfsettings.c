/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstcudallfsettings.h"

#include "shapes/gstshapesenum.h"

GST_SHAPES_DEFINE_ENUM_TYPE (static, quality_get_type, "GstCudaLlfQuality",
    {CS_LLF_FAST, "Four terms", "fast"},
    {CS_LLF_NORMAL, "Up to eight terms, as many as needed", "normal"},
    {CS_LLF_HIGH, "Up to sixteen terms, as many as needed", "high"},
    {CS_LLF_EXACT, "The definition; for a fast GPU, or for images", "exact"},
    {CS_LLF_SAMPLED, "Interpolated between intensities, as in Aubry et al.",
        "sampled"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, curve_get_type, "GstCudaLlfCurve",
    {CS_LLF_POWER, "A power curve within sigma, linear beyond, as in Paris et "
          "al.", "power"},
    {CS_LLF_SMOOTH, "A smooth transition from one slope to the other",
        "smooth"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, color_remapping_get_type,
    "GstCudaLlfColorRemapping",
    {CS_LLF_LUMA, "Differences of luma; colour follows it", "luma"},
    {CS_LLF_RGB_DISTANCE, "Distances in RGB, as in Paris et al.",
        "rgb-distance"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, chroma_get_type, "GstCudaLlfChroma",
    {LLF_CHROMA_KEEP, "Keep chroma unchanged", "keep"},
    {LLF_CHROMA_SCALE, "Scale chroma with luma", "scale"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, shapes_get_type, "GstCudaLlfShapes",
    {LLF_SHAPES_IGNORE, "The shapes of frames are ignored", "ignore"},
    {LLF_SHAPES_INSIDE, "Filter inside of shapes", "inside"},
    {LLF_SHAPES_OUTSIDE, "Filter outside of shapes", "outside"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, hdr_get_type, "GstCudaLlfHdr",
    {LLF_HDR_NONE, "Not HDR: frames are filtered as they are", "none"},
    {LLF_HDR_LINEAR, "Tone mapping of linear light", "linear"},
    {LLF_HDR_SRGB, "Tone mapping of codes of sRGB", "srgb"},
    {LLF_HDR_PQ, "Tone mapping of codes of SMPTE ST 2084 (HDR10)", "pq"},
    {LLF_HDR_HLG, "Tone mapping of codes of ARIB STD-B67", "hlg"})

typedef LlfSettings Settings;

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

  settings->n_weights = MIN (gst_value_array_get_size (array),
      CS_LLF_MAX_LEVELS);
  for (guint i = 0; i < settings->n_weights; i++)
    settings->weights[i] =
        g_value_get_double (gst_value_array_get_value (array, i));
  return TRUE;
}

static void
get_weights (gconstpointer values, GValue * array)
{
  const Settings *settings = values;
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_DOUBLE);
  for (guint i = 0; i < settings->n_weights; i++) {
    g_value_set_double (&value, settings->weights[i]);
    gst_value_array_append_value (array, &value);
  }
  g_value_unset (&value);
}

static const GstShapesProperty rows[] = {
  GST_SHAPES_DOUBLE (Settings, amount, "amount", "Amount", -10., 10., 1.,
      ANIMATED,
      "Strength of the effect: 0 passes frames through untouched, 1 is the "
      "filter, 2 doubles its effect, negative values invert it. Changing it "
      "takes no time."),
  GST_SHAPES_DOUBLE (Settings, table.sigma, "sigma", "Sigma", 0.001, 4.,
      CS_LLF_DEFAULT_SIGMA, LIVE, "Threshold between detail (smaller "
      "differences) and edges (larger ones), relative to black to white: 0.1 "
      "for fine texture, 0.2 to 0.4 for local contrast.", .affects = LLF_TABLE),
  GST_SHAPES_DOUBLE (Settings, table.alpha, "alpha", "Alpha", 0.05, 10.,
      CS_LLF_DEFAULT_ALPHA, LIVE,
      "Control of detail: less than 1 enhances it (0.5 doubles it), more than "
      "1 smooths it, 1 keeps it.", .affects = LLF_TABLE),
  GST_SHAPES_DOUBLE (Settings, table.beta, "beta", "Beta", 0., 4.,
      CS_LLF_DEFAULT_BETA, LIVE, "Control of edges: less than 1 reduces them, "
      "which compresses the range of tones, more than 1 enlarges them, 1 keeps "
      "them.", .affects = LLF_TABLE),
  GST_SHAPES_DOUBLE (Settings, table.noise_guard, "noise-guard", "Noise guard",
      -1., 0.25, CS_LLF_DEFAULT_NOISE_GUARD, LIVE, "With an alpha below 1, "
      "differences up to this, relative to black to white, are noise and not "
      "enhanced, and those from twice this on in full: about three times the "
      "noise's deviation. 0: no guard, the definition of the paper. -1: the "
      "curve's own, 0.01 of \"power\" and 0 of \"smooth\". A guard takes more "
      "terms: quality high.", .affects = LLF_TABLE),
  GST_SHAPES_ENUM (Settings, table.curve, "curve", "Curve", curve_get_type,
      CS_LLF_DEFAULT_CURVE, LIVE, "Transition from alpha to beta. \"smooth\" "
      "has a continuous slope, is fastest, and limits the gain of detail to "
      "3.24; \"power\" is that of the paper, which enhances faint detail more, "
      "with a \"noise-guard\".", .affects = LLF_TABLE),
  GST_SHAPES_ENUM (Settings, table.quality, "quality", "Quality",
      quality_get_type, CS_LLF_DEFAULT_QUALITY, LIVE,
      "How coefficients are computed: by a low-rank factorisation, whose error "
      "is at most \"error-bound\"; exactly, by the definition; or interpolated "
      "between \"intensity-levels\" filtered images, as other implementations "
      "do, for comparison.", .affects = LLF_TABLE),
  GST_SHAPES_UINT (Settings, levels, "pyramid-levels", "Pyramid levels", 0,
      CS_LLF_MAX_LEVELS, 0, LIVE, "Number of pyramid levels; 0 means all, down "
      "to a side of one pixel. Fewer are hardly faster, and do not change "
      "large structures. The coarsest level is included but never changed, so "
      "that 1 is the identity."),
  GST_SHAPES_ARRAY ("level-weights", "Weights of levels", new_weight, LIVE,
      "Factors of the effect at each pyramid level, finest first, 1 for levels "
      "beyond. \"<0.0,0.5>\" does not amplify grain. Changing them takes no "
      "time.",
      .set = set_weights, .get = get_weights),
  GST_SHAPES_DOUBLE (Settings, tone_guard, "tone-guard", "Tone guard", 0., 1.,
      0., LIVE,
      "How far from black and white, relative to black to white, the effect "
      "fades towards them: black stays black, white stays white, and nothing "
      "else becomes either. 0.25 for photographs; 0: no guard, the definition "
      "of the paper. Changing it takes no time."),
  GST_SHAPES_ENUM (Settings, chroma, "chroma", "Chroma", chroma_get_type,
      LLF_CHROMA_KEEP, LIVE,
      "Chroma of YUV: \"keep\" does not change it, \"scale\" scales it with "
      "luma, which preserves saturation. The colour of RGB is always scaled."),
  GST_SHAPES_ENUM (Settings, table.color_remapping, "color-remapping",
      "Colour remapping", color_remapping_get_type, CS_LLF_LUMA, READY,
      "What tells detail from edges. \"luma\": differences of luma; colour is "
      "scaled with it. \"rgb-distance\": the distance of two colours in RGB, "
      "so that edges between colours of the same luma are kept or changed, "
      "too; each of R, G and B is filtered. It takes RGB of 8 bits (put "
      "videoconvert before), and has rank 8, 16 or 32; the distance from black "
      "to white is 1.73.", .affects = LLF_TABLE),
  GST_SHAPES_DOUBLE (Settings, split, "split", "Split", 0., 1., 0., ANIMATED,
      "Share of the width, from the left, that is left as it is: before and "
      "after beside each other. Unless it is 0, the mouse moves it, with the "
      "first button held down in a window that sends navigation events."),
  GST_SHAPES_STRING (Settings, region, "roi", "Region of interest", NULL, LIVE,
      "Filter only in this rectangle, \"x,y,width,height\" in pixels, such as "
      "\"100,50,640,480\"; a width or height of 0 extends to the edge. Several "
      "rectangles have \";\" between them. Empty: everywhere.",
      .affects = LLF_AREA),
  GST_SHAPES_STRING (Settings, mask, "mask-location", "Mask file", NULL, LIVE,
      "PNG, JPEG or binary PGM image of the frame's size: pixels where it is "
      "0 (black; in a JPEG, darker than half of white) are not filtered. Read "
      "once, when it is first needed. Empty: no mask.", .affects = LLF_AREA),
  GST_SHAPES_ENUM (Settings, shapes, "shapes", "Shapes", shapes_get_type,
      LLF_SHAPES_IGNORE, LIVE,
      "Filter only \"inside\" or \"outside\" of the closed contours, the hulls "
      "and the circles that frames carry, as cudacontours finds them; borders "
      "are smooth. A frame without shapes has no inside.", .affects = LLF_AREA),
  GST_SHAPES_ENUM (Settings, hdr, "hdr", "HDR", hdr_get_type, LLF_HDR_NONE,
      READY,
      "Tone mapping of HDR, and how its samples are coded: ARGB64, also from "
      "openexrdec, or tensors of float32, which are linear, become RGB of 8 "
      "bits or ARGB64 in sRGB. The logarithm of intensity is filtered: "
      "\"sigma\" and \"noise-guard\" are fractions of \"hdr-range\". The "
      "preset ToneMap sets this."),
  GST_SHAPES_DOUBLE (Settings, hdr_range, "hdr-range", "HDR range", 2., 64.,
      20., LIVE, "With \"hdr\", the range of intensity from black to white of "
      "the filter, in powers of 2 (stops), below the frame's brightest pixel; "
      "what is darker counts as this dark."),
  GST_SHAPES_DOUBLE (Settings, hdr_contrast, "hdr-contrast", "HDR contrast",
      2., 1e6, 100., LIVE,
      "With \"hdr\", the ratio of linear intensities in the result between the "
      "99.5 and 0.5 percentiles of pixels, unless it was less before."),
  GST_SHAPES_UINT (Settings, table.rank, "rank", "Rank", 0, CS_LLF_MAX_RANK,
      CS_LLF_DEFAULT_RANK, LIVE,
      "Rank of the factorisation for qualities fast, normal and high; 0: as "
      "needed by the curve, up to the maximum of the quality. 4, 8, 16 and 32 "
      "are the most efficient. With color-remapping=rgb-distance it is 8, 16 "
      "or 32: the next one of these; 0: 8 for fast, 16 for normal, 32 for "
      "high.", .affects = LLF_TABLE),
  GST_SHAPES_UINT (Settings, table.intensity_levels, "intensity-levels",
      "Intensity levels", 2, CS_LLF_MAX_RANK, CS_LLF_DEFAULT_INTENSITY_LEVELS,
      LIVE,
      "With quality=sampled: the number of intensities for which an image is "
      "filtered.", .affects = LLF_TABLE),
  GST_SHAPES_DOUBLE (Settings, error_bound, "error-bound", "Error bound", -1.,
      G_MAXDOUBLE, LLF_UNKNOWN_BOUND, READ_ONLY,
      "Upper bound of the error of any pixel of any frame of this size "
      "relative to the exact filter, in 8-bit codes, with an amount and "
      "weights of 1; usual errors are much smaller. -1 until there are "
      "caps, and with color-remapping=rgb-distance."),
  GST_SHAPES_UINT (Settings, active_rank, "active-rank", "Active rank", 0,
      CS_LLF_MAX_RANK, 0, READ_ONLY,
      "Rank in use; 0 with quality=exact, for the identity, and until there "
      "are caps."),
};

const GstShapesProperties llf_properties =
    GST_SHAPES_PROPERTIES (rows, Settings, 1);
