import type { RuleParts } from '@latchkey/rbac'
import { type DirectiveNode, getDirectiveValues, Kind } from 'graphql'
import type { RuleDirectives } from './rule-directives.ts'

/** A rule as written, before the policy reads it. */
export type WrittenRule = 'public' | 'authenticated' | RuleParts<string, string>

type Write = (values: Readonly<Record<string, unknown>>) => Record<string, unknown>

/** The rule parts of each directive. */
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
  orNull: () => ({ orNull: true }),
}

function withoutNull(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined))
}

/** Reads the rule of the directives on an element; `null` without a directive of this package. */
export function readDirectiveRule(
  directives: RuleDirectives,
  nodes: readonly DirectiveNode[],
  report: (problem: string) => void,
): WrittenRule | null {
  const ours = nodes.filter((node) => directives.known.has(node.name.value))
  if (ours.length === 0) return null
  const parts = ours.map((node, index) => {
    const name = node.name.value
    if (ours.findIndex((other) => other.name.value === name) !== index) report(`@${name} stands twice`)
    return readPart(directives, node, report)
  })
  return Object.assign({}, ...parts)
}

function readPart(
  directives: RuleDirectives,
  node: DirectiveNode,
  report: (problem: string) => void,
): Record<string, unknown> {
  const name = node.name.value
  const directive = directives.known.get(name)
  const write = directive && partOf[directive.name]
  if (!directive || !write) return {}
  const known = new Set(directive.args.map(({ name }) => name))
  for (const { name: argument, value } of node.arguments ?? []) {
    if (!known.has(argument.value)) report(`@${name} has no argument "${argument.value}"`)
    if (isListOfSets(argument.value) && value.kind === Kind.LIST && isAmbiguous(value.values)) {
      report(
        `@${name}: a flat list could mean any or all: write [["a:b", "c:d"]] for both, [["a:b"], ["c:d"]] for either`,
      )
    }
  }
  try {
    const named = { ...node, name: { ...node.name, value: directive.name } }
    return write(getDirectiveValues(directive, { directives: [named] }) ?? {})
  } catch (error) {
    report(`@${name}: ${error instanceof Error ? error.message : 'cannot be read'}`)
    return {}
  }
}

function isListOfSets(argument: string): boolean {
  return argument === 'permissions' || argument === 'anyOf'
}

function isAmbiguous(values: readonly { readonly kind: string }[]): boolean {
  return values.length > 1 && values.some(({ kind }) => kind !== Kind.LIST)
}
