import { compileAccess, type RuleMap } from '@latchkey/graphql'
import { definePolicy } from '@latchkey/rbac'
import fc from 'fast-check'
import {
  buildSchema,
  type DocumentNode,
  execute,
  type GraphQLFieldResolver,
  getNamedType,
  isAbstractType,
  parse,
  validate,
} from 'graphql'
import { expect, test } from 'vitest'
import { drawDocument, fieldsOf, interfaces, objects, possible, returnedBy, sdl } from '../support/random-document.ts'

// The plan is compared with something that shares no code with it: the operation is executed on the bare schema, where
// every abstract field returns one object of each possible type, and each field that is reached is written down. What
// these fields ask for is looked up in the table that the rules were written from.

const permissions = ['p:a', 'p:b', 'p:c'] as const
const policy = definePolicy({
  permissions,
  roles: { A: { permissions: ['p:a'] }, B: { permissions: ['p:b'] }, C: { permissions: ['p:c'] } },
})
const schema = buildSchema(sdl)
const coordinates = [...Object.keys(objects), ...interfaces].flatMap((type) =>
  fieldsOf(type).map((field) => `${type}.${field}`),
)
/** A type and the interfaces that it implements. */
const lineOf = (type: string) => [type, ...(objects[type] ?? [])]

/** High limits, because the drawn documents are bounded already. */
const roomy = { tokens: 100_000, aliases: 10_000, directives: 10_000, expandedSelections: 1_000_000, cost: 10 ** 12 }

type Rules = Readonly<Record<string, string | undefined>>

const fieldRule = fc.constantFrom('public', 'public', 'public', 'authenticated', ...permissions)
const typeRule = fc.constantFrom(undefined, undefined, undefined, undefined, 'authenticated', ...permissions)

/** Rules by coordinate; a field of a type with a rule is not public, which would be refused. */
const anyRules: fc.Arbitrary<Rules> = fc
  .tuple(
    fc.record(Object.fromEntries(coordinates.map((coordinate) => [coordinate, fieldRule]))),
    fc.record(Object.fromEntries(['A', 'B', 'C', ...interfaces].map((type) => [type, typeRule]))),
  )
  .map(([fields, types]) => {
    const isDemanding = (coordinate: string) =>
      lineOf(coordinate.split('.')[0] ?? '').some((name) => types[name] !== undefined)
    const allowed = Object.entries(fields).map(([coordinate, rule]) => [
      coordinate,
      rule === 'public' && isDemanding(coordinate) ? 'authenticated' : rule,
    ])
    return { ...Object.fromEntries(allowed), ...types }
  })

function ruleMap(rules: Rules): RuleMap<typeof policy> {
  const given = Object.entries(rules).flatMap(([coordinate, rule]) => {
    if (rule === undefined) return []
    return [[coordinate, rule.includes(':') ? { permissions: rule } : rule]]
  })
  return Object.fromEntries(given)
}

/** The result of an abstract field: one object of each possible type, or of a single type. */
type Found = (types: readonly string[]) => readonly string[]

/** Executes the operation and notes what it reaches. */
async function reachedBy(
  document: DocumentNode,
  variableValues: Record<string, unknown>,
  find: Found = (types) => types,
): Promise<Set<string>> {
  const reached = new Set<string>()
  const fieldResolver: GraphQLFieldResolver<unknown, unknown> = (_source, _args, _context, info) => {
    reached.add(`${info.parentType.name}.${info.fieldName}`)
    const named = getNamedType(info.returnType)
    if (isAbstractType(named)) return find(possible[named.name] ?? []).map((name) => ({ __typename: name }))
    return named.name === 'String' ? 'text' : { __typename: named.name }
  }
  const { errors } = await execute({ schema, document, variableValues, fieldResolver })
  expect(errors).toBeUndefined()
  return reached
}

/** Every rule that a reached field is under, straight from the specification. */
function rulesOf(coordinate: string, rules: Rules): readonly string[] {
  const [type = '', field = ''] = coordinate.split('.')
  const target = returnedBy(field)
  const ofReturned = target ? [target, ...(possible[target] ?? []).flatMap(lineOf)] : []
  const places = [...lineOf(type).flatMap((name) => [name, `${name}.${field}`]), ...ofReturned]
  return places.flatMap((place) => rules[place] ?? []).filter((rule) => rule !== 'public')
}

/**
 * How many cases. A long run, with a seed that it prints:
 * TEST_TIER=3 LATCHKEY_PROPERTY_SEED=random vitest run packages/graphql/test/access/plan-against-execution.test.ts
 */
const isLong = process.env.TEST_TIER === '3'
const runs = Number(process.env.LATCHKEY_PROPERTY_RUNS ?? (isLong ? 10_000 : 150))
const seed = fc.readConfigureGlobal().seed ?? Date.now() % 2 ** 31

test('the plan allows exactly what an execution may reach', { timeout: 600_000 }, async () => {
  const counts = { allowed: 0, refused: 0, refusedTooMuch: 0 }
  const variables = fc.record(
    { v0: fc.boolean(), v1: fc.boolean(), v2: fc.boolean(), v3: fc.boolean() },
    { requiredKeys: ['v0', 'v2'] },
  )
  const choices = fc.array(fc.nat(1_000_000), { minLength: 200, maxLength: 200 })
  const held = fc.option(fc.subarray(['A', 'B', 'C']), { nil: null })
  await fc.assert(
    fc.asyncProperty(anyRules, choices, variables, held, async (rules, drawn, values, roles) => {
      let next = 0
      const pick = (below: number) => ((drawn[next++ % drawn.length] ?? 0) + next) % below
      const query = drawDocument(pick)
      const document = parse(query)
      expect(validate(schema, document)).toEqual([])

      const access = compileAccess({ schema, policy, rules: ruleMap(rules), limits: roomy })
      const identity = roles && policy.identify({ subject: 'acc_1', roles })
      const verdict = await access.prepare({ query, variables: values }, { identity })
      const planned = verdict.ok ? 'allowed' : verdict.errors[0]?.extensions.code

      const isMet = (rule: string) =>
        identity !== null && (rule === 'authenticated' || policy.can(identity, rule as (typeof permissions)[number]))
      const mayReach = (reached: Iterable<string>) =>
        [...reached].flatMap((coordinate) => rulesOf(coordinate, rules)).every(isMet)
      const refusal = identity ? 'FORBIDDEN' : 'UNAUTHENTICATED'
      const executed = mayReach(await reachedBy(document, values)) ? 'allowed' : refusal
      expect({ query, planned }).toEqual({ query, planned: executed })

      // One request may find less: lists of one, or of none. What is refused all the same is refused too much, and
      // the only reason is that another type, or another object, could have been found: with all of them it is right.
      const mayReachSome = mayReach(
        await reachedBy(document, values, (types) => types.filter((_type, index) => index === pick(types.length + 1))),
      )
      if (verdict.ok) expect(mayReachSome).toBe(true)
      counts[verdict.ok ? 'allowed' : 'refused']++
      if (!verdict.ok && mayReachSome) counts.refusedTooMuch++
    }),
    { numRuns: runs, seed },
  )
  if (isLong) process.stdout.write(`${JSON.stringify({ seed, runs, ...counts })}\n`)
  // Neither answer is the rare one, or the comparison would prove little.
  expect(counts.allowed).toBeGreaterThan(runs / 10)
  expect(counts.refused).toBeGreaterThan(runs / 10)
  expect(counts.refusedTooMuch).toBeLessThan(counts.refused / 4)
})
