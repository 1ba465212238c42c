import { describe, expect, test } from 'vitest'
import { cores, everyFault, named } from './catalogue.ts'
import { describeCount, expectCount } from './report.ts'

const isLong = process.env.TEST_TIER === '3'
const isDue = (tier: number | null): boolean => tier === 2 || (isLong && tier === 3)
const longest = { timeout: 1_200_000 }

describe('every schedule of the store calls of', () => {
  const rows = cores.filter(({ tiers: [tier] }) => isDue(tier))
  test.each(named(rows))('%s keeps its promises', longest, async (title, { explore }) => {
    const explored = await explore({})
    console.log(describeCount(title, explored))
    expectCount(explored)
    expect([...explored.found]).toEqual([])
  })
})

describe('every schedule with a fault at any store call of', () => {
  const rows = cores.filter(({ tiers: [, tier] }) => isDue(tier))
  test.each(named(rows))('%s keeps its promises', longest, async (title, { explore }) => {
    const explored = await explore({ faults: everyFault })
    console.log(describeCount(`${title}, with a fault`, explored))
    expect([...explored.found]).toEqual([])
  })
})
