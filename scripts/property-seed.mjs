// Property tests draw the same cases in every run, so that only a change of the code changes a result, and a failure can be
// repeated. LATCHKEY_PROPERTY_SEED=random draws new cases, LATCHKEY_PROPERTY_SEED=123 the cases of seed 123. A failure
// always prints its seed.
import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'

const { LATCHKEY_PROPERTY_SEED = '20261121' } = process.env
const { testPath } = expect.getState()

// Loading fast-check takes 60 ms, and most files have no use for it.
if (LATCHKEY_PROPERTY_SEED !== 'random' && testPath && (await readFile(testPath, 'utf8')).includes("'fast-check'")) {
  const { default: fc } = await import('fast-check')
  fc.configureGlobal({ seed: Number(LATCHKEY_PROPERTY_SEED) })
}
