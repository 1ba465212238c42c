import type { RuleParts } from '@latchkey/rbac'
import {
  buildSchema,
  type DirectiveNode,
  type GraphQLDirective,
  type GraphQLSchema,
  getDirectiveValues,
  isSpecifiedDirective,
  Kind,
} from 'graphql'
import { authDirectives } from './auth-directives.ts'

let directives: ReadonlyMap<string, GraphQLDirective> | undefined

/** Returns the directives that carry rules, by name. They are built when a schema is read, not when a process starts. */
export function ruleDirectives(): ReadonlyMap<string, GraphQLDirective> {
  directives ??= new Map(
    buildSchema(`${authDirectives} type Query { field: String }`)
      .getDirectives()
      .filter((directive) => !isSpecifiedDirective(directive))
      .map((directive) => [directive.name, directive]),
  )
  return directives
}

/** A rule as it was written, before a policy has seen it. */
export type WrittenRule = 'public' | 'authenticated' | RuleParts<string, string>

type Write = (values: Readonly<Record<string, unknown>>) => Record<string, unknown>

/** How each directive says its part of a rule. */
const partOf: Readonly<Record<string, Write>> = {
  public: () => ({ public: true }),
  authenticated: () => ({ authenticated: true }),
  client: () => ({ client: true }),
  requires: ({ permissions }) => ({ permissions }),
  owner: (values) => ({ owner: withoutNull(values) }),
  scope: ({ anyOf }) => ({ scope: anyOf }),
  stepUp: (values) => ({ stepUp: withoutNull(values) }),
  firstParty: () => ({ firstParty: true }),
  beforeEnrollment: () => ({ beforeEnrollment: true }),
  credential: () => ({ credential: true }),
}

function withoutNull(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined))
}

/** Reads the rule that directives on one element say together; `null` when none of them is about access. */
export function readDirectiveRule(
  nodes: readonly DirectiveNode[],
  report: (problem: string) => void,
): WrittenRule | null {
  const ours = nodes.filter((node) => ruleDirectives().has(node.name.value))
  if (ours.length === 0) return null
  const parts = ours.map((node, index) => {
    const name = node.name.value
    if (ours.findIndex((other) => other.name.value === name) !== index) report(`@${name} stands twice`)
    return readPart(node, report)
  })
  return Object.assign({}, ...parts)
}

function readPart(node: DirectiveNode, report: (problem: string) => void): Record<string, unknown> {
  const directive = ruleDirectives().get(node.name.value)
  const write = partOf[node.name.value]
  if (!directive || !write) return {}
  const known = new Set(directive.args.map(({ name }) => name))
  for (const { name, value } of node.arguments ?? []) {
    if (!known.has(name.value)) report(`@${directive.name} has no argument "${name.value}"`)
    if (isListOfSets(name.value) && value.kind === Kind.LIST && isAmbiguous(value.values)) {
      report(
        `@${directive.name}: a flat list could mean any or all: write [["a:b", "c:d"]] for both, [["a:b"], ["c:d"]] for either`,
      )
    }
  }
  try {
    return write(getDirectiveValues(directive, { directives: [node] }) ?? {})
  } catch (error) {
    report(`@${directive.name}: ${error instanceof Error ? error.message : 'cannot be read'}`)
    return {}
  }
}

function isListOfSets(argument: string): boolean {
  return argument === 'permissions' || argument === 'anyOf'
}

function isAmbiguous(values: readonly { readonly kind: string }[]): boolean {
  return values.length > 1 && values.some(({ kind }) => kind !== Kind.LIST)
}

/** Names a directive that looks like one of ours and is not, or is one of ours under another definition. */
export function strangeDirective(schema: GraphQLSchema, name: string): string | null {
  const defined = schema.getDirective(name)
  const ours = ruleDirectives().get(name)
  if (ours) {
    if (!defined) return `@${name} is not defined: put "authDirectives" before your SDL`
    return signature(defined) === signature(ours) ? null : `@${name} is defined otherwise than in "authDirectives"`
  }
  const meant = [...ruleDirectives().keys()].find((known) => looksLike(name, known))
  if (meant) return `@${name}: is @${meant} meant? A directive may not look so much like it`
  return defined ? null : `@${name} is not defined`
}

function signature({ args }: GraphQLDirective): string {
  return args
    .map(({ name, type }) => `${name}: ${type}`)
    .sort()
    .join(', ')
}

function looksLike(name: string, known: string): boolean {
  const [a, b] = [name, known].map((text) => text.toLowerCase().replaceAll('_', ''))
  if (a === undefined || b === undefined) return false
  return distance(a, b) <= (known.length >= 8 ? 2 : 1)
}

/** Levenshtein's. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...a].entries()) {
    const current = [row + 1]
    for (const [column, other] of [...b].entries()) {
      const replaced = (previous[column] ?? 0) + (letter === other ? 0 : 1)
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    previous = current
  }
  return previous.at(-1) ?? 0
}
