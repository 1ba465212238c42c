import { expect, test } from 'vitest'
import { plantedFaults } from './faults.ts'
import { findPlanted, seedsAtMost } from './find-planted.ts'

test(`each of the ten planted faults is found in the worlds of ${seedsAtMost} seeds`, {
  timeout: 900_000,
}, async () => {
  const searched = await findPlanted(plantedFaults.map(({ name }) => name))
  expect(searched).toHaveLength(10)
  expect(searched.filter(({ finding }) => finding === null)).toEqual([])
})
