import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { allPlanted } from './all-planted.ts'

const root = new URL('../../../../../', import.meta.url)
const patches = allPlanted.flatMap(({ name, patch }) => (patch ? [{ name, patch }] : []))

test.each(patches)('the text that $name replaces is in its source exactly once', async ({ patch }) => {
  const source = await readFile(new URL(patch.file, root), 'utf8')
  expect(source.split(patch.old)).toHaveLength(2)
})

test('planted faults have different names', () => {
  const names = allPlanted.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})
