import { expect, test } from 'vitest'
import { plantedFaults } from './faults.ts'
import { faultsOfSilence } from './faults-of-silence.ts'
import { faultsOfStreams } from './faults-of-streams.ts'
import { findPlanted, seedsAtMost } from './find-planted.ts'

test(`each planted fault of the author is found in the worlds of ${seedsAtMost} seeds`, {
  timeout: 900_000,
}, async () => {
  const searched = await findPlanted([...plantedFaults, ...faultsOfSilence, ...faultsOfStreams].map(({ name }) => name))
  expect(searched).toHaveLength(17)
  expect(searched.filter(({ finding }) => finding === null)).toEqual([])
})
