#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Structured Text to C, as much of it as pipelines/line/plc.st uses, so that tests run the text that users import.

    st.py IN.st OUT.h NAME=VALUE...    translates, with other constants than there are
    st.py                what it does not know, or what a PLC's compiler would refuse, is an error

What it knows: VAR_GLOBAL CONSTANT, FUNCTION_BLOCK, PROGRAM, UINT, UDINT, BOOL, TIME, arrays of them, instances, R_TRIG, TON.
Types are never mixed, arrays never left, all operands evaluated. A block NAME becomes a struct NAME, NAME_init() (nothing was
retained), NAME_start() (after the PLC was off) and NAME_scan(). ST_STEP () is between statements, ST_TIME () is TIME(), ST_TIMER ()
the time of a TON, all three the test's. With ST_WIDE what is between operands and assignment has 64 bits and a sign, as on some PLCs.
"""

import re
import sys

TYPES = {'UINT': 'guint16', 'UDINT': 'guint32', 'BOOL': 'gboolean', 'TIME': 'guint32'}
BUILTIN = {'R_TRIG': {'CLK': 'BOOL', 'Q': 'BOOL'}, 'TON': {'IN': 'BOOL', 'PT': 'TIME', 'Q': 'BOOL', 'ET': 'TIME'}}
BUILTIN_INPUTS = {'R_TRIG': {'CLK'}, 'TON': {'IN', 'PT'}}
CONVERSIONS = {'UINT_TO_UDINT': ('UINT', 'UDINT'), 'UDINT_TO_UINT': ('UDINT', 'UINT'), 'TIME_TO_UDINT': ('TIME', 'UDINT')}
SECTIONS = {'VAR_INPUT', 'VAR_OUTPUT', 'VAR_IN_OUT', 'VAR'}
KEYWORDS = set('''FUNCTION_BLOCK END_FUNCTION_BLOCK PROGRAM END_PROGRAM VAR_GLOBAL CONSTANT RETAIN END_VAR ARRAY OF IF THEN ELSIF
    ELSE END_IF CASE END_CASE FOR TO DO END_FOR AND OR XOR NOT MOD TRUE FALSE STEP ACTION ON WORD RETURN'''.split()) | SECTIONS
RESERVED = KEYWORDS | set(TYPES) | set(CONVERSIONS)
# binds less tightly to more
LEVELS = (('OR',), ('XOR',), ('AND',), ('=', '<>'), ('<', '>', '<=', '>='), ('+', '-'), ('*', '/', 'MOD'))
TOKEN = re.compile(r'\s+|\(\*.*?\*\)|(?P<token>T#\d+(?:ms|s)|\d+|[A-Za-z_]\w*|:=|\.\.|<=|>=|<>|[-+*/=<>()\[\],.:;])', re.S | re.I)

HEAD = '''/* Made of {name} by st.py. */
#include <glib.h>

#ifdef ST_WIDE
#define ST_OP(type, a, op, b) ((gint64) (a) op (gint64) (b))
#else
#define ST_OP(type, a, op, b) ((type) ((guint64) (a) op (guint64) (b)))
#endif

typedef struct
{{
  gboolean CLK, Q, old;
}} R_TRIG;

static inline void
R_TRIG_scan (R_TRIG * self)
{{
  self->Q = self->CLK && !self->old;
  self->old = self->CLK;
}}

typedef struct
{{
  gboolean IN, Q, old;
  guint32 PT, ET, begin;
}} TON;

static inline void
TON_scan (TON * self)
{{
  if (self->IN && !self->old)
    self->begin = ST_TIMER ();
  self->old = self->IN;
  self->ET = self->IN ? ST_TIMER () - self->begin : 0;
  self->Q = self->IN && self->ET >= self->PT;
  if (self->Q)
    self->begin = ST_TIMER () - self->PT;
}}

static inline gint64
st_divisor (gint64 value)
{{
  g_assert_cmpint (value, !=, 0);
  return value;
}}

static inline gint64
st_index (gint64 value, gint64 from, gint64 to)
{{
  g_assert_cmpint (value, >=, from);
  g_assert_cmpint (value, <=, to);
  return value - from;
}}
'''


class Refused(Exception):
    pass


class Variable:
    def __init__(self, kind, section='', bounds=None, initial=None):
        self.kind, self.section, self.bounds, self.initial = kind, section, bounds, initial


class Translator:
    def __init__(self, text, name, values=()):
        self.name, self.tokens, self.at = name, [], 0
        self.values = dict(values)
        self.constants, self.blocks, self.variables, self.out = {}, dict(BUILTIN), {}, []
        self.inputs, self.members = dict(BUILTIN_INPUTS), {}
        position = 0
        while position < len(text):
            match = TOKEN.match(text, position)
            line = text.count('\n', 0, position) + 1
            if not match:
                raise Refused(f'{name}:{line}: {text[position:position + 20]!r} is unknown')
            if match['token']:
                self.tokens.append((match['token'], line))
            position = match.end()
        self.tokens.append(('', text.count('\n') + 1))

    # tokens

    def fail(self, message):
        raise Refused(f'{self.name}:{self.tokens[min(self.at, len(self.tokens) - 1)][1]}: {message}')

    def peek(self):
        token = self.tokens[self.at][0]
        return token.upper() if token.upper() in RESERVED else token

    def take(self, *expected):
        token = self.peek()
        if expected and token not in expected:
            self.fail(f'{token!r}, not {" or ".join(map(repr, expected))}')
        self.at += 1
        return token

    def skip(self, token):
        if self.peek() != token:
            return False
        self.at += 1
        return True

    def name_token(self):
        token = self.peek()
        if not re.fullmatch(r'[A-Za-z_]\w*', token) or token in RESERVED:
            self.fail(f'{token!r} is no name')
        self.at += 1
        return token

    # declarations

    def constant(self):
        token = self.take()
        value = self.constants.get(token, (token,))[0]
        if not value.isdigit():
            self.fail(f'{token!r} is no constant')
        return int(value)

    def kind(self):
        bounds = None
        if self.skip('ARRAY'):
            self.take('[')
            low = self.constant()
            self.take('..')
            bounds = low, self.constant()
            self.take(']')
            self.take('OF')
        token = self.take()
        if token not in TYPES and (bounds or token not in self.blocks):
            self.fail(f'{token!r} is an unknown type')
        return token, bounds

    def initial(self, kind):
        if not self.skip(':='):
            return None
        token = self.take()
        if kind == 'BOOL' and token in ('TRUE', 'FALSE'):
            return token
        if kind not in ('UINT', 'UDINT') or not token.isdigit() or int(token) >= (1 << (16 if kind == 'UINT' else 32)):
            self.fail(f'{token!r} is no {kind}')
        return token

    def declarations(self, section):
        while not self.skip('END_VAR'):
            names = [self.name_token()]
            while self.skip(','):
                names.append(self.name_token())
            self.take(':')
            kind, bounds = self.kind()
            if section == 'VAR_IN_OUT' and not bounds:
                self.fail('what is in and out is an array')
            initial = None if bounds else self.initial(kind)
            self.take(';')
            for name in names:
                if name.upper() in {known.upper() for known in self.variables}:
                    self.fail(f'{name} is there already')
                self.variables[name] = Variable(kind, section, bounds, initial)

    def global_constants(self):
        self.take('CONSTANT')
        while not self.skip('END_VAR'):
            name = self.name_token()
            self.take(':')
            kind = self.take('UINT', 'UDINT')
            value = self.initial(kind)
            if value is None:
                self.fail(f'{name} has no value')
            value = self.values.pop(name, value)
            self.take(';')
            self.constants[name] = value, kind
            self.out.append(f'#define {name} {value}u')

    # expressions: (C, type); type None: a literal number

    def variable(self, name):
        if name in self.constants:
            return name, self.constants[name][1]
        if name not in self.variables:
            self.fail(f'{name} is unknown')
        variable = self.variables[name]
        code = f'self->{name}'
        if variable.kind in self.blocks:
            self.take('.')
            member = self.take()
            members = self.blocks[variable.kind]
            if member not in members:
                self.fail(f'{variable.kind} has no {member}')
            return f'{code}.{member}', members[member]
        if not variable.bounds:
            return code, variable.kind
        self.take('[')
        index, kind = self.expression()
        self.take(']')
        if kind not in ('UINT', None):
            self.fail('an index is a UINT')
        low, high = variable.bounds
        return f'{code}[st_index ({index}, {low}, {high})]', variable.kind

    def primary(self):
        if self.skip('('):
            code, kind = self.expression()
            self.take(')')
            return f'({code})', kind
        if self.skip('NOT'):
            value = self.primary()
            self.same('NOT', value, 'BOOL')
            return f'!{value[0]}', 'BOOL'
        token = self.peek()
        if token.isdigit():
            return self.take() + 'u', None
        if token in ('TRUE', 'FALSE'):
            return self.take(), 'BOOL'
        if token.upper().startswith('T#'):
            self.at += 1
            number, unit = re.fullmatch(r'T#(\d+)(ms|s)', token, re.I).groups()
            return f'{int(number) * (1000 if unit.lower() == "s" else 1)}u', 'TIME'
        if token in CONVERSIONS:
            self.at += 1
            source, target = CONVERSIONS[token]
            self.take('(')
            value = self.expression()
            self.same(token, value, source)
            self.take(')')
            return f'({TYPES[target]}) ({value[0]})', target
        if token == 'TIME':
            for part in ('TIME', '(', ')'):
                self.take(part)
            return 'ST_TIME ()', 'TIME'
        return self.variable(self.name_token())

    def same(self, what, value, expected):
        code, kind = value
        if kind is None and int(code.rstrip('u')) >= (1 << (16 if expected == 'UINT' else 32)):
            self.fail(f'{code[:-1]} is no {expected}')
        if kind not in (None, expected) or (kind is None and expected == 'BOOL'):
            self.fail(f'{what} of {kind or "a number"} and {expected}')

    def binary(self, operator, left, right):
        kind = left[1] or right[1]
        if kind is None:
            self.fail('two numbers: write their result')
        self.same(operator, left, kind)
        self.same(operator, right, kind)
        logical = operator in ('AND', 'OR', 'XOR')
        if logical != (kind == 'BOOL') and operator not in ('=', '<>'):
            self.fail(f'{operator} of {kind}')
        if operator in ('+', '-', '*', '/', 'MOD') and kind == 'TIME':
            self.fail(f'{operator} of TIME')
        if logical:
            return f'({left[0]} {dict(AND="&", OR="|", XOR="^")[operator]} {right[0]})', 'BOOL'
        if operator in ('=', '<>', '<', '>', '<=', '>='):
            sign = {'=': '==', '<>': '!='}.get(operator, operator)
            return f'((gint64) {left[0]} {sign} (gint64) {right[0]})', 'BOOL'
        if operator in ('/', 'MOD'):
            return f'ST_OP ({TYPES[kind]}, {left[0]}, {"/" if operator == "/" else "%"}, st_divisor ({right[0]}))', kind
        return f'ST_OP ({TYPES[kind]}, {left[0]}, {operator}, {right[0]})', kind

    def expression(self, level=0):
        if level == len(LEVELS):
            return self.primary()
        left = self.expression(level + 1)
        while self.peek() in LEVELS[level]:
            operator = self.take()
            left = self.binary(operator, left, self.expression(level + 1))
        return left

    # statements

    def emit(self, depth, text):
        self.out.append('  ' * depth + text)

    def assignment(self, depth, name):
        if name not in self.variables:
            self.fail(f'{name} is unknown here')
        if self.variables[name].section == 'VAR_INPUT':
            self.fail(f'{name} is an input')
        if self.variables[name].kind in self.blocks:
            self.fail(f'{name} is an instance: call it')
        target, kind = self.variable(name)
        self.take(':=')
        value = self.expression()
        self.same(':=', value, kind)
        self.emit(depth, f'{target} = ({TYPES[kind]}) ({value[0]});')

    def argument(self, depth, name, block):
        member = self.take()
        if member not in self.inputs[block]:
            self.fail(f'{block} has no input {member}')
        self.take(':=')
        if block not in BUILTIN and self.members[block][member].bounds:
            array = self.name_token()
            if array not in self.variables or self.variables[array].bounds != self.members[block][member].bounds \
                    or self.variables[array].kind != self.members[block][member].kind:
                self.fail(f'{array} is no array as {member} is')
            self.emit(depth, f'self->{name}.{member} = self->{array};')
        else:
            value = self.expression()
            self.same(member, value, self.blocks[block][member])
            self.emit(depth, f'self->{name}.{member} = ({TYPES[self.blocks[block][member]]}) ({value[0]});')
        return member

    def call(self, depth, name):
        block = self.variables[name].kind if name in self.variables else ''
        if block not in self.blocks:
            self.fail(f'{name} is no instance')
        self.take('(')
        given = set()
        while not self.skip(')'):
            if given:
                self.take(',')
            given.add(self.argument(depth, name, block))
        lacking = {member for member, variable in self.members.get(block, {}).items()
                   if variable.section == 'VAR_IN_OUT'} - given
        if lacking:
            self.fail(f'{name} lacks {", ".join(sorted(lacking))}')
        self.emit(depth, f'{block}_scan (&self->{name});')

    def condition(self, depth, head):
        value = self.expression()
        self.same('IF', value, 'BOOL')
        self.take('THEN')
        self.emit(depth, f'{head} ({value[0]}) {{')

    def if_statement(self, depth):
        self.condition(depth, 'if')
        self.statements(depth + 1, 'ELSIF', 'ELSE', 'END_IF')
        while self.skip('ELSIF'):
            self.condition(depth, '} else if')
            self.statements(depth + 1, 'ELSIF', 'ELSE', 'END_IF')
        if self.skip('ELSE'):
            self.emit(depth, '} else {')
            self.statements(depth + 1, 'END_IF')
        self.take('END_IF')
        self.emit(depth, '}')

    def case_statement(self, depth):
        code, kind = self.expression()
        if kind not in ('UINT', 'UDINT'):
            self.fail(f'CASE of {kind}')
        self.take('OF')
        self.emit(depth, f'switch ({code}) {{')
        while self.peek() not in ('ELSE', 'END_CASE'):
            labels = [self.constant()]
            while self.skip(','):
                labels.append(self.constant())
            self.take(':')
            self.emit(depth, ' '.join(f'case {label}:' for label in labels) + ' {')
            self.statements(depth + 1, None, 'ELSE', 'END_CASE')
            self.emit(depth, '} break;')
        self.emit(depth, 'default: {')
        if self.skip('ELSE'):
            self.statements(depth + 1, 'END_CASE')
        self.take('END_CASE')
        self.emit(depth, '} break; }')

    def for_statement(self, depth):
        name = self.name_token()
        if name not in self.variables or self.variables[name].kind not in ('UINT', 'UDINT') or self.variables[name].bounds:
            self.fail(f'FOR of {name}')
        self.take(':=')
        begin = self.constant()
        self.take('TO')
        end = self.constant()
        self.take('DO')
        self.emit(depth, f'for (self->{name} = {begin}; self->{name} <= {end}; self->{name}++) {{')
        self.statements(depth + 1, 'END_FOR')
        self.take('END_FOR')
        self.emit(depth, '}')

    def statements(self, depth, *ends):
        """Until one of the ends; None: a label of CASE."""
        while self.peek() not in ends and not (None in ends and self.peek().isdigit()):
            token = self.take()
            {'IF': self.if_statement, 'CASE': self.case_statement, 'FOR': self.for_statement}.get(
                token, lambda at: self.simple_statement(at, token))(depth)
            self.take(';')
            self.emit(depth, 'ST_STEP ();')

    def simple_statement(self, depth, name):
        if not re.fullmatch(r'[A-Za-z_]\w*', name) or name in RESERVED:
            self.fail(f'{name!r} is unknown')
        if self.peek() == '(':
            self.call(depth, name)
        else:
            self.assignment(depth, name)

    # blocks

    def struct(self, name):
        self.out += ['', 'typedef struct', '{']
        for member, variable in self.variables.items():
            kind = TYPES.get(variable.kind, variable.kind)
            size = f'[{variable.bounds[1] - variable.bounds[0] + 1}]' if variable.bounds else ''
            if variable.section == 'VAR_IN_OUT':
                self.out.append(f'  {kind} *{member};')
            else:
                self.out.append(f'  {kind} {member}{size};')
        self.out.append(f'}} {name};')

    def starts(self, name):
        for function, retained in (('init', ''), ('start', 'VAR RETAIN')):
            self.out += ['', 'static inline void', f'{name}_{function} ({name} * self)', '{', f'  const {name} old = *self;', '',
                         '  (void) old;', f'  *self = ({name}) {{ 0 }};']
            for member, variable in self.variables.items():
                if variable.section == 'VAR_IN_OUT' or (variable.section == 'VAR RETAIN' and retained):
                    if variable.bounds and variable.section != 'VAR_IN_OUT':
                        self.fail('a retained array')
                    self.out.append(f'  self->{member} = old.{member};')
                elif variable.kind in self.blocks and variable.kind not in BUILTIN:
                    self.out += [f'  self->{member} = old.{member};', f'  {variable.kind}_{function} (&self->{member});']
                elif variable.initial:
                    self.out.append(f'  self->{member} = {variable.initial};')
            self.out.append('}')

    def block(self, what):
        name = self.name_token()
        self.variables = {}
        while self.peek() in SECTIONS:
            section = self.take()
            if section == 'VAR' and self.skip('RETAIN'):
                section = 'VAR RETAIN'
            self.declarations(section)
        self.struct(name)
        self.starts(name)
        self.out += ['', 'static inline void', f'{name}_scan ({name} * self)', '{']
        self.statements(1, f'END_{what}')
        self.take(f'END_{what}')
        self.out.append('}')
        self.members[name] = self.variables
        self.inputs[name] = {member for member, variable in self.variables.items()
                             if variable.section in ('VAR_INPUT', 'VAR_IN_OUT')}
        self.blocks[name] = {member: variable.kind for member, variable in self.variables.items()
                             if variable.section in ('VAR_INPUT', 'VAR_OUTPUT') and not variable.bounds}

    def translate(self):
        while self.peek():
            what = self.take('VAR_GLOBAL', 'FUNCTION_BLOCK', 'PROGRAM')
            if what == 'VAR_GLOBAL':
                self.global_constants()
            else:
                self.block(what)
        if self.values:
            self.fail(f'there is no constant {", ".join(self.values)}')
        return HEAD.format(name=self.name.rpartition('/')[2]) + '\n' + '\n'.join(self.out) + '\n'


GOOD = """VAR_GLOBAL CONSTANT N : UINT := 3; END_VAR
FUNCTION_BLOCK A VAR_INPUT X : UINT; END_VAR VAR_OUTPUT Y : UDINT; END_VAR VAR_IN_OUT R : ARRAY[0..N] OF UINT; END_VAR
VAR RETAIN Kept : UINT; END_VAR VAR T : TON; I : UINT; Is : BOOL; END_VAR
%s
END_FUNCTION_BLOCK
PROGRAM P VAR B : A; R : ARRAY[0..3] OF UINT; Q : ARRAY[0..4] OF UINT; END_VAR %s END_PROGRAM
"""

# statements of A and of P, and a part of what is said of them; '' if they are right
CASES = (
    ("FOR I := 0 TO N DO R[I] := I + 1; END_FOR; (* all *) Y := UINT_TO_UDINT(X) * 65536;", 'B(X := 1, R := R);', ''),
    ("T(IN := X = 1, PT := T#3S); IF T.Q AND NOT Is THEN Y := 1; ELSIF Is THEN Y := 2; ELSE Y := 3; END_IF;", '', ''),
    ("CASE X OF 1, 2: Y := 1; Kept := 2; 3: Y := 3; ELSE Y := 4; END_CASE;", '', ''),
    ("Y := X;", '', ':= of UINT and UDINT'),
    ("Y := Y + X;", '', '+ of'),
    ("Y := UDINT_TO_UINT(X);", '', 'UDINT_TO_UINT of UINT'),
    ("Kept := 65536;", '', '65536 is no UINT'),
    ("X := 1;", '', 'X is an input'),
    ("N := 1;", '', 'N is unknown'),
    ("T.Q := TRUE;", '', 'T is an instance'),
    ("x := 1;", '', 'x is unknown'),
    ("Y := y;", '', 'y is unknown'),
    ("Y := -1;", '', "'-' is no name"),
    ("Y := 2 ** 3;", '', "'*' is no name"),
    ("IF X THEN Y := 1; END_IF;", '', 'IF of UINT'),
    ("IF X AND Is THEN Y := 1; END_IF;", '', 'AND of'),
    ("IF Is > Is THEN Y := 1; END_IF;", '', '> of BOOL'),
    ("IF Is THEN Y := 1; END_IF", '', "not ';'"),
    ("R[Y] := 1;", '', 'an index is a UINT'),
    ("WHILE Is DO Y := 1; END_WHILE;", '', 'WHILE is unknown'),
    ("T(IN := Is, XX := 1);", '', 'TON has no input XX'),
    ("Y := 16#FF;", '', "'#FF"),
    ("Y := SHL(Y, 1);", '', 'SHL is unknown'),
    ("// no", '', "'/'"),
    ("", 'B(X := 1);', 'B lacks R'),
    ("", 'B(X := 1, R := Q);', 'no array as R'),
    ("", 'B.X := 1;', 'B is an instance'),
)


def check():
    for block, program, message in CASES:
        try:
            Translator(GOOD % (block, program), 'case.st').translate()
            said = ''
        except Refused as refused:
            said = str(refused)
        if bool(said) != bool(message) or message not in said:
            yield f'{block} {program}: "{said}", not "{message}"'


def main():
    if len(sys.argv) == 1:
        faults = list(check())
        print('\n'.join(faults))
        sys.exit(1 if faults else 0)
    if len(sys.argv) < 3:
        sys.exit('usage: st.py [IN.st OUT.h [NAME=VALUE...]]')
    with open(sys.argv[1], encoding='utf-8') as file:
        text = file.read()
    try:
        header = Translator(text, sys.argv[1], [value.split('=') for value in sys.argv[3:]]).translate()
    except Refused as refused:
        sys.exit(str(refused))
    with open(sys.argv[2], 'w', encoding='utf-8') as file:
        file.write(header)


if __name__ == '__main__':
    main()
