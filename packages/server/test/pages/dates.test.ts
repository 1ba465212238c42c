import type { AnyPolicy } from '@latchkey/rbac'
import { englishPageTexts, type PageTexts, type ServerOptions } from '@latchkey/server'
import { describe, expect, test } from 'vitest'
import { createBench } from '../support/bench.ts'

type Pages = NonNullable<ServerOptions<AnyPolicy>['pages']>

/** The clock of the bench begins on January 15, 2027 at 8:00 UTC; six hours later it is afternoon. */
async function dateFor(language: string | null, pages: Pages = {}): Promise<string | undefined> {
  const bench = createBench({ options: { pages } })
  bench.advance(6 * 3600 + 180)
  const visitor = await bench.signedIn()
  const { text } = await visitor.get('/devices', language === null ? {} : { 'accept-language': language })
  const [, exact, shown] = /<time datetime="([^"]*)">([^<]*)<\/time>/.exec(text) ?? []
  expect(exact).toBe('2027-01-15T14:03:00.000Z')
  return shown?.replaceAll('\u202f', ' ')
}

const american = 'January 15, 2027 at 2:03 PM UTC'
const british = '15 January 2027 at 14:03 UTC'

describe('a date and its time on a page', () => {
  test.each([
    ['no browser says a language', null, american],
    ['of a reader in the United Kingdom', 'en-GB,en;q=0.9', british],
    ['of a reader who prefers another language', 'de-DE,de;q=0.9', american],
    ['of a reader who reads English after another language', 'de-DE,de;q=0.9,en-GB;q=0.5', british],
    ['with another calendar', 'en-u-ca-buddhist, en-GB;q=0.1', british],
    ['of what is no language', '*, -, x-y, en_GB, en-Latn-GB-oed-a-b', american],
  ])('is in English on a page in English, %s', async (_what, language, shown) => {
    expect(await dateFor(language)).toBe(shown)
  })

  test.each([
    ['de', '15. Januar 2027 um 14:03 UTC'],
    ['de-AT', '15. Jänner 2027 um 14:03 UTC'],
    ['fr', american],
  ])('is in the language of a translation that there is, as the reader writes it: %s', async (language, shown) => {
    const de: PageTexts = { ...englishPageTexts }
    expect(await dateFor(language, { translations: { de } })).toBe(shown)
  })

  test('keeps the script and the region of the page if the reader prefers no variant of it', async () => {
    const translated = (tag: string): Pages => ({ language: tag, translations: { [tag]: englishPageTexts } })
    expect(await dateFor('zh-TW', translated('zh'))).toBe(await dateFor(null, translated('zh')))
    expect(await dateFor('en', translated('en-GB'))).toBe(british)
    expect(await dateFor('en-US', translated('en-GB'))).toBe(american)
  })
})
