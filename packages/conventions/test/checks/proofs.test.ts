import { expect, test } from 'vitest'
import { checkProofs } from '../../src/checks/check-proofs.ts'
import { buildHouse, house } from '../build-house.ts'

test('every test that docs/security.md names is there, and every requirement has its row', () => {
  expect(checkProofs(house)).toEqual([])
})

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

test('a requirement without a row, with an empty row, of another level, and one that does not exist are named', () => {
  expect(problemsOf('| V9.1.1 | 1 | signed | shown |')).not.toContain('docs/security.md: has no row for V9.1.1')
  expect(problemsOf('')).toContain('docs/security.md: has no row for V9.1.1')
  expect(problemsOf('')).not.toContain('docs/security.md: has no row for V8.3.2')
  expect(problemsOf('| V9.1.1 | 1 | signed |  |')).toContain('docs/security.md: V9.1.1 is not complete')
  expect(problemsOf('| V9.1.1 | 3 | signed | shown |')).toContain('docs/security.md: V9.1.1 is not complete')
  expect(problemsOf('| V9.1.7 | 1 | signed | shown |')).toContain(
    'docs/security.md: ASVS 5.0.0 has no V9.1.7 among its sections here',
  )
})
