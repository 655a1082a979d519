/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "call.h"

/**
 * Given:
 * @fields, @coefficients: what the caller gives
 * @coefficients_image: of the input, if there are coefficients
 * @instances: an array of CsInstance
 * @coefficients_on_device: as the call's @is_device, of the coefficients
 */
typedef struct
{
  PyObject *fields, *coefficients;
  CsTaken taken_fields, taken_coefficients;
  CsImage coefficients_image;
  Py_buffer instances;
  int coefficients_on_device;
} Given;

static gboolean
take_coefficients (CsCall * call, Given * given, CsInstancesInput * input)
{
  if (given->coefficients == Py_None)
    return TRUE;
  input->coefficients = &given->coefficients_image;
  return (given->coefficients_on_device ?
      cs_call_take (call, given->coefficients, &given->taken_coefficients) :
      cs_take_host (given->coefficients, &given->taken_coefficients))
      && cs_taken_samples (&given->taken_coefficients, -1, "an array",
      &given->coefficients_image);
}

static gboolean
take (CsCall * call, Given * given, CsInstancesInput * input)
{
  static const float nothing;

  input->instances = given->instances.buf;
  input->n_instances = given->instances.len / sizeof (CsInstance);
  if (input->n_instances == 0) {
    /* there may be no fields either */
    input->fields = cs_image_gray (&nothing, CS_SAMPLE_F32, 1, 1,
        sizeof (nothing));
    input->grid_x = input->grid_y = 0;
    input->grid_width = input->grid_height = 0;
    return TRUE;
  }
  return cs_call_take (call, given->fields, &given->taken_fields)
      && cs_taken_samples (&given->taken_fields, 0, "an array", &input->fields)
      && take_coefficients (call, given, input);
}

static gboolean
find (CsCall * call, const CsInstancesParams * params,
    const CsInstancesInput * input, CsContoursOutput * output)
{
  gboolean ok;

  *output = (CsContoursOutput) {
    .alloc = cs_store_alloc,
    .user_data = call->store,
    .want_host = !call->is_device,
  };
  Py_BEGIN_ALLOW_THREADS;
  ok = cs_worker_find_instances (call->worker, params, input, output,
      &call->error);
  if (ok)
    cs_store_finish (call->store);
  Py_END_ALLOW_THREADS;
  return ok;
}

PyObject *
cs_find_instances (CsEngine * engine, PyObject * args)
{
  PyObject *result = NULL;
  Given given = { NULL };
  CsInstancesParams params;
  CsInstancesInput input = { };
  CsContoursOutput output;
  CsCall call = { NULL };
  unsigned long long stream;
  int outside;

  cs_instances_params_init (&params);
  if (!PyArg_ParseTuple (args, "OOpy*ddd(II)(IIII)i(II)Kp", &given.fields,
          &given.coefficients, &given.coefficients_on_device, &given.instances,
          &params.level, &params.tolerance, &params.min_area,
          &input.resized_height, &input.resized_width, &input.grid_y,
          &input.grid_x, &input.grid_height, &input.grid_width, &outside,
          &input.height, &input.width, &stream, &call.is_device))
    return NULL;
  input.outside = outside;
  call.given = (gpointer) (guintptr) stream;
  call.is_device &= engine->gpu != NULL;
  gboolean ok = cs_call_begin (&call, engine, NULL)
      && take (&call, &given, &input)
      && find (&call, &params, &input, &output);
  if (ok) {
    result = cs_call_contours (&call, &output, sizeof (float));
    ok = result != NULL;
  }
  cs_taken_clear (&given.taken_fields);
  cs_taken_clear (&given.taken_coefficients);
  PyBuffer_Release (&given.instances);
  return cs_call_end (&call, ok, result);
}
