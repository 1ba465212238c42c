import { describe, expect, test } from 'vitest'
import { plainWords } from '../../src/documents/plain-words.ts'
import { buildHouse } from '../build-house.ts'

const flaggedIn = (files: Readonly<Record<string, string>>) =>
  plainWords(buildHouse(files)).flatMap(({ kind, flagged }) => flagged.map((text) => `${kind} ${text}`))

describe('plainWords', () => {
  test.each([
    ['who without a noun', 'Mails a link to who requests it.'],
    ['what without a noun', 'Returns a copy of what was stored.'],
    ['where for if', 'Throws where there is no account.'],
    ['a pronoun for a noun', 'Compares the digest with that of the token.'],
    ['nothing as a subject', 'Nothing is stored.'],
    ['an idiom', 'Runs beside the service.'],
    ['an end as a state', 'Rejects a session that has ended.'],
  ])('flags %s in a doc comment', (_case, text) => {
    const found = flaggedIn({ 'packages/one/src/index.ts': `/** ${text} */\nexport const one = 1\n` })
    expect(found).toEqual([`comments packages/one/src/index.ts:1 ${text}`])
  })

  test('flags a title that only continues another sentence', () => {
    const title = 'with a wrong password'
    expect(flaggedIn({ 'packages/one/test/one.test.ts': `test('${title}', () => {})\n` })).toEqual([
      `titles packages/one/test/one.test.ts:1 ${title}`,
    ])
  })

  test('flags a paragraph of at least twelve words, and no code in it', () => {
    const words = 'A page explains the option with words that everybody reads once and not twice.'
    const found = flaggedIn({
      'docs/one.md': `# One\n\n${words}\n\nNobody reads this.\n\n${words.replace('everybody', '`everybody`')}\n`,
    })
    expect(found).toEqual([`paragraphs docs/one.md:3 ${words}`])
  })

  test('permits ten of a hundred doc comments, and counts each folder separately', () => {
    const comments = '/** Returns the number of revoked sessions. */\n'.repeat(100)
    const found = plainWords(
      buildHouse({
        'packages/one/src/a.ts': comments,
        'packages/two/src/a.ts': comments,
        'scripts/a.mjs': '/** A. */',
      }),
    )
    expect(found).toEqual([
      { folder: 'packages/one', kind: 'comments', texts: 100, flagged: [], limit: 10 },
      { folder: 'packages/two', kind: 'comments', texts: 100, flagged: [], limit: 10 },
      { folder: 'docs', kind: 'comments', texts: 1, flagged: [], limit: 1 },
    ])
  })
})
