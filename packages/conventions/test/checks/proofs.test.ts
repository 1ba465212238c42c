import { expect, test } from 'vitest'
import { checkProofs } from '../../src/checks/check-proofs.ts'
import { buildHouse } from '../build-house.ts'

const file = 'packages/one/test/one.test.ts'
const source = "test('it\\'s a [proof]', () => {})\n"
const problemsOf = (row: string) =>
  checkProofs(buildHouse({ [file]: source, 'docs/security.md': `# Security\n\n${row}\n` }))

test.each([
  ['a title', "[it's a \\[proof\\]](../packages/one/test/one.test.ts)", false],
  ['another title', '[is no proof](../packages/one/test/one.test.ts)', true],
  ['another file', "[it's a \\[proof\\]](../packages/one/test/two.test.ts)", true],
])('%s', (_what, link, isNamed) => {
  expect(problemsOf(link).some((problem) => problem.includes('has no test'))).toBe(isNamed)
})

test('a page below docs/security is checked as well', () => {
  const row = '[is no proof](../../packages/one/test/one.test.ts)'
  expect(checkProofs(buildHouse({ [file]: source, 'docs/security/mitigations.md': `# One\n\n${row}\n` }))).toEqual([
    `docs/security/mitigations.md: ${file} has no test "is no proof"`,
  ])
})
