/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/**
 * LineRules:
 * @LINE_RULES_1: one rotation for all pieces; what arrived was seen
 * @LINE_RULES_2: the rotation of each piece is measured, and a piece is `ok`
 *     only if it was seen
 *
 * By which pieces are decided: the number of the decisions' schema, and of the
 * version of a recording. docs/fruit-line.md defines both.
 */
typedef enum
{
  LINE_RULES_1 = 1,
  LINE_RULES_2 = 2,
} LineRules;
