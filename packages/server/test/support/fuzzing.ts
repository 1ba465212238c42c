import { cpuMilliseconds, expectWithin } from '@latchkey/test-services'
import fc from 'fast-check'
import { expect } from 'vitest'

const isLong = process.env.TEST_TIER === '3'

/** How many cases each parser gets. */
const cases = Number(process.env.LATCHKEY_PROPERTY_RUNS ?? (isLong ? 100_000 : 2_000))
/** It ends what hangs. */
export const fuzzTimeoutMs = isLong ? 3_600_000 : 120_000

/** What one case may cost: many times what it does cost, and far less than what would keep others waiting. */
const longestCaseMs = 100

const kinds = ['flip', 'cut', 'repeat', 'splice', 'truncate', 'insert'] as const

/** A change of a text, which can be made to any. */
export interface Change {
  readonly kind: (typeof kinds)[number]
  readonly at: number
  readonly length: number
  readonly piece: string
}

/** Up to four changes: characters flipped, pieces cut out, repeated, taken from another text or from `pieces`, the end lost. */
export function changes(pieces: readonly string[] = ['']): fc.Arbitrary<readonly Change[]> {
  const change = fc.record<Change>({
    kind: fc.constantFrom(...kinds),
    at: fc.nat(),
    length: fc.nat(40),
    piece: fc.constantFrom(...pieces),
  })
  return fc.array(change, { maxLength: 4 })
}

/** Makes changes to a text. */
export function changed(text: string, all: readonly Change[], other: string = text): string {
  return all.reduce((before, one) => apply(before, one, other), text)
}

/** Valid texts that were changed; some are unchanged. */
export function mutated(valid: readonly string[], pieces?: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...valid), fc.constantFrom(...valid), changes(pieces))
    .map(([text, other, all]) => changed(text, all, other))
}

function apply(text: string, { kind, at: anywhere, length, piece }: Change, other: string): string {
  const at = anywhere % (text.length + 1)
  const [before, chosen, after] = [text.slice(0, at), text.slice(at, at + length), text.slice(at + length)]
  switch (kind) {
    case 'flip':
      return `${before}${String.fromCharCode(text.charCodeAt(at) ^ (1 << (length % 8)))}${text.slice(at + 1)}`
    case 'cut':
      return `${before}${after}`
    case 'repeat':
      return `${before}${chosen.repeat(1 + ((anywhere >> 3) % 40))}${after}`
    case 'splice':
      return `${before}${other.slice(at, at + length)}${after}`
    case 'truncate':
      return before
    case 'insert':
      return `${before}${piece}${text.slice(at)}`
  }
}

export interface Fuzz<Case> {
  readonly inputs: fc.Arbitrary<Case>
  /** Returns whether the case has passed the first check of the parser; throws, or rejects, where it may not. */
  readonly judge: (input: Case) => Promise<boolean> | boolean
  /** The least share of cases that must have passed the first check: otherwise the rest of the parser is not reached. */
  readonly deep: number
}

/** Judges all cases, and what the slowest of them cost. What rejects unheard fails the run of Vitest. */
export async function fuzz<Case>({ inputs, judge, deep }: Fuzz<Case>): Promise<void> {
  let passed = 0
  let slowest = 0
  const slow: Case[] = []
  const property = fc.asyncProperty(inputs, async (input) => {
    const cost = await cpuMilliseconds(async () => {
      if (await judge(input)) passed++
    })
    slowest = Math.max(slowest, cost)
    if (cost > longestCaseMs) slow.push(input)
  })
  await fc.assert(property, { numRuns: cases })
  // Once may be a collection of garbage, or code that was compiled.
  for (const input of slow) {
    const costs: number[] = []
    for (let round = 0; round < 3; round++) costs.push(await cpuMilliseconds(() => judge(input)))
    expectWithin(longestCaseMs, `${fc.stringify(input).slice(0, 200)} cost`, costs)
  }
  const share = passed / cases
  process.stdout.write(`  ${cases} cases, ${(share * 100).toFixed(0)} % deep, the slowest ${slowest.toFixed(0)} ms\n`)
  expect(share, 'the share of cases that have passed the first check').toBeGreaterThan(deep)
}
