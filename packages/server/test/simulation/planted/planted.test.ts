import { expect, test } from 'vitest'
import { plantedFaults } from './faults.ts'
import { findPlanted, seedsAtMost } from './find-planted.ts'

test(`every planted fault is found in the worlds of ${seedsAtMost} seeds`, { timeout: 900_000 }, async () => {
  const searched = await findPlanted()
  expect(searched.map(({ fault }) => fault)).toEqual(plantedFaults.map(({ name }) => name))
  expect(searched.filter(({ finding }) => finding === null)).toEqual([])
})
