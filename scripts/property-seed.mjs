// Property tests draw the same cases in every run, so that a change is judged by the change and a failure can be had
// again. LATCHKEY_PROPERTY_SEED=random draws others, LATCHKEY_PROPERTY_SEED=123 those of that seed. A failure prints its
// seed either way.
import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'

const { LATCHKEY_PROPERTY_SEED = '20261121' } = process.env
const { testPath } = expect.getState()

// Loading fast-check takes 60 ms, and most files have no use for it.
if (LATCHKEY_PROPERTY_SEED !== 'random' && testPath && (await readFile(testPath, 'utf8')).includes("'fast-check'")) {
  const { default: fc } = await import('fast-check')
  fc.configureGlobal({ seed: Number(LATCHKEY_PROPERTY_SEED) })
}
