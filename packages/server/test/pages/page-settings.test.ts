import type { AnyPolicy } from '@latchkey/rbac'
import { englishPageTexts, type PageTexts, type ServerOptions } from '@latchkey/server'
import { anyCharacter } from '@latchkey/test-services/any-character'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createBench } from '../support/bench.ts'
import { titleOf } from '../support/forms.ts'

type Pages = NonNullable<ServerOptions<AnyPolicy>['pages']>

const create = (pages: Pages) => createBench({ options: { pages } })
const german: PageTexts = { ...englishPageTexts, 'sign-in.title': 'Anmelden', 'field.password': 'Passwort' }
const french: PageTexts = { ...englishPageTexts, 'sign-in.title': 'Connexion' }

describe('the option pages', () => {
  test('shows name and logo on every page, and the name in its title', async () => {
    const logo = 'data:image/svg+xml;base64,PHN2Zy8+'
    const page = await create({ name: 'Notes & <more>', logo }).visitor().get('/sign-in')
    expect(page.text).toContain('<title>Sign in · Notes &amp; &lt;more&gt;</title>')
    expect(page.text).toContain(
      `<header><a href="/account"><img src="${logo}" alt="">Notes &amp; &lt;more&gt;</a></header>`,
    )
    const alone = await create({ logo }).visitor().get('/sign-in')
    expect(alone.text).toContain(`<header><a href="/account"><img src="${logo}" alt="Back to the app"></a></header>`)
    expect((await create({}).visitor().get('/sign-in')).text).not.toContain('<header>')
  })

  test('sets colours, corners and fonts as custom properties', async () => {
    const theme = {
      accent: { light: '#7a1f5c', dark: '#f0a' },
      surface: { light: '#FFF', dark: '#000000' },
      cornerRadius: 0,
      fonts: ['Inter', 'Noto Sans'],
    }
    const { text } = await create({ theme }).visitor().get('/sign-in')
    expect(text).toContain('--accent: light-dark(#7a1f5c, #ff00aa); --background: light-dark(#f6f7f9, #14171c);')
    expect(text).toContain('--surface: light-dark(#ffffff, #000000);')
    expect(text).toContain('--on-accent: light-dark(#ffffff, #000000); --radius: 0px;')
    expect(text).toContain('--fonts: "Inter", "Noto Sans", system-ui, sans-serif;')
  })

  test.each<[what: string, pages: unknown, message: string]>([
    ['a misspelt name', { nam: 'x' }, 'createServer has no option "pages.nam". Did you mean "pages.name"?'],
    ['an empty name', { name: ' ' }, '"pages.name" must be'],
    ['a name that is too long', { name: 'x'.repeat(61) }, '"pages.name" must be'],
    ['a name with a line break', { name: 'a\nb' }, '"pages.name" must be'],
    ['a name that turns the direction of text', { name: 'a\u202eb' }, '"pages.name" must be'],
    ['a logo of another host', { logo: 'https://evil.example/logo.png' }, '"pages.logo" must be'],
    ['a logo of another host, without its scheme', { logo: '//evil.example/logo.png' }, '"pages.logo" must be'],
    ['a logo that is a script', { logo: 'javascript:alert(1)' }, '"pages.logo" must be'],
    ['a logo that is a page', { logo: 'data:text/html;base64,PHN2Zy8+' }, '"pages.logo" must be'],
    ['a logo that ends its attribute', { logo: '/logo.png" onerror="x' }, '"pages.logo" must be'],
    [
      'a misspelt colour',
      { theme: { accnt: '#fff' } },
      'createServer has no option "pages.theme.accnt". Did you mean "pages.theme.accent"?',
    ],
    ['a colour by its name', { theme: { accent: 'red' } }, '"pages.theme.accent" must be #rgb or #rrggbb'],
    ['a colour that goes on', { theme: { accent: '#fff; } body { x' } }, '"pages.theme.accent" must be'],
    ['a colour that loads', { theme: { text: 'url(https://evil.example)' } }, '"pages.theme.text" must be'],
    ['a colour that ends the style', { theme: { accent: '#fff</style>' } }, '"pages.theme.accent" must be'],
    ['a colour with a line break', { theme: { accent: '#000\n' } }, '"pages.theme.accent" must be'],
    ['a colour with transparency', { theme: { accent: '#00000080' } }, '"pages.theme.accent" must be'],
    ['a number', { theme: { accent: 0 } }, '"pages.theme.accent" must be'],
    ['one scheme alone', { theme: { accent: { light: '#000' } } }, '"pages.theme.accent" must be'],
    [
      'a third scheme',
      { theme: { text: { light: '#000', dark: '#fff', dim: '#888' } } },
      'has no option "pages.theme.text.dim"',
    ],
    ['a corner in other units', { theme: { cornerRadius: '1rem' } }, '"pages.theme.cornerRadius" must be'],
    ['a corner without end', { theme: { cornerRadius: Number.POSITIVE_INFINITY } }, '"pages.theme.cornerRadius"'],
    ['a font that ends its quotes', { theme: { fonts: ['x", y'] } }, '"pages.theme.fonts" must be'],
    ['a font that is no list', { theme: { fonts: 'Inter' } }, '"pages.theme.fonts" must be'],
    ['a language without sentences', { language: 'de' }, '"pages.language" must be "en" or a language of'],
    ['a language that is none', { translations: { de_DE: german } }, '"pages.translations": "de_DE" is not the tag'],
    ['a tag that is written otherwise', { translations: { 'de-at': german } }, '"de-at" is not the tag of a language'],
    [
      'a tag that ends its attribute',
      { translations: { '"><script>': german } },
      '"pages.translations": ""><script>" is not the tag',
    ],
  ])('refuses %s when the server is created', (_what, pages, message) => {
    expect(() => create(pages as Pages)).toThrow(TypeError)
    expect(() => create(pages as Pages)).toThrow(message)
  })

  test.each([
    ['text', 'background', { text: '#888888' }, 'light'],
    ['text', 'surface', { surface: '#1b1f24' }, 'light'],
    ['accent', 'surface', { accent: '#1d4ed8' }, 'dark'],
    ['accent', 'background', { accent: { light: '#ffd', dark: '#ffd' } }, 'light'],
  ])('refuses a theme whose %s cannot be read on its %s', (front, _back, theme, scheme) => {
    expect(() => create({ theme })).toThrow(
      new RegExp(`"pages.theme": "${front}" cannot be read on "\\w+" in the ${scheme} scheme: 4.5`),
    )
  })

  test('writes only checked values into the style, for any theme', () => {
    const text = fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom('#000', '#fff', '#12345', 'red;'))
    fc.assert(
      fc.property(fc.record({ accent: text, text, fonts: fc.array(text) }, { requiredKeys: [] }), (theme) => {
        let isRefused = false
        try {
          create({ theme })
        } catch (error) {
          isRefused = error instanceof TypeError
        }
        const isPlain = [theme.accent, theme.text].every((color) => color === undefined || /^#(?:000|fff)$/.test(color))
        expect(isRefused || isPlain).toBe(true)
      }),
      { numRuns: 25 },
    )
  })
})

describe('the language of a page', () => {
  const langOf = (text: string) => /<html lang="([^"]*)" dir="(ltr|rtl)">/.exec(text)?.slice(1)

  test.each([
    ['de', 'de'],
    ['de-AT,en;q=0.5', 'de'],
    ['en;q=0.5, DE;q=0.8', 'de'],
    ['fr, de', 'fr'],
    ['it, fr;q=0.1', 'fr'],
    ['it', 'en'],
    ['de;q=0', 'en'],
    ['de;q=2, fr', 'fr'],
    ['*', 'en'],
    ['', 'en'],
    [',;;q=,"', 'en'],
    ['d', 'en'],
    [`${'x,'.repeat(5000)}de`, 'en'],
  ])('follows Accept-Language %j: %s', async (header, language) => {
    const bench = create({ translations: { de: german, fr: french } })
    const page = await bench.visitor().get('/sign-in', { 'accept-language': header })
    expect([langOf(page.text), titleOf(page)]).toEqual([
      [language, 'ltr'],
      { de: 'Anmelden', fr: 'Connexion', en: 'Sign in' }[language],
    ])
  })

  test("is the option's language for all others, and English only if it is listed", async () => {
    const only = create({ language: 'de', translations: { de: german } })
    expect(titleOf(await only.visitor().get('/sign-in', { 'accept-language': 'en' }))).toBe('Anmelden')
    const both = create({ language: 'de', translations: { de: german, en: englishPageTexts } })
    expect(titleOf(await both.visitor().get('/sign-in', { 'accept-language': 'en' }))).toBe('Sign in')
    expect(titleOf(await both.visitor().get('/sign-in', { 'accept-language': 'it' }))).toBe('Anmelden')
  })

  test('has its direction', async () => {
    const page = await create({ language: 'ar-EG', translations: { 'ar-EG': german } })
      .visitor()
      .get('/sign-in')
    expect(langOf(page.text)).toEqual(['ar-EG', 'rtl'])
  })

  test('applies to refusals, failures and password rules, too', async () => {
    const marked = Object.entries(englishPageTexts).map(([name, text]) => [name, `«${name}» ${text}`])
    const de: PageTexts = { ...englishPageTexts, ...Object.fromEntries(marked) }
    const bench = create({ language: 'de', translations: { de } })
    const { email } = await bench.insert()
    const forged = await bench.visitor().post('/sign-in', {}, { origin: 'https://evil.example' })
    expect(titleOf(forged)).toMatch(/^«failure.forged.title»/)
    await bench.visitor().ask('mutation ($e: String!) { requestPasswordReset(input: { email: $e }) }', { e: email })
    const token = await bench.mailedToken(email)
    const refused = await bench.visitor().post('/reset', { token, password: 'short' })
    expect(refused.text).toMatch(/«password.shorter-than» .* at least 15 characters/)
  })

  test.each([
    ['a sentence is missing', { 'sign-in.title': undefined }, 'must have a text for "sign-in.title"'],
    ['a sentence is empty', { 'sign-in.title': ' ' }, 'must have a text for "sign-in.title"'],
    ['a sentence is no text', { 'sign-in.title': 1 }, 'must have a text for "sign-in.title"'],
    ['there is one more', { 'sign-in.titel': 'x' }, 'has no option "sign-in.titel". Did you mean "sign-in.title"?'],
    ['one lacks its words in braces', { 'verify.whose': '{name}' }, '"verify.whose" must have {email} {name}'],
    ['one has others', { 'sign-in.title': '{name}' }, '"sign-in.title" must have no words in braces'],
  ])('is refused when the server is created if %s', (_what, change, message) => {
    const de = { ...englishPageTexts, ...change } as PageTexts
    expect(() => create({ translations: { de } })).toThrow(message)
    expect(() => create({ translations: { de } })).toThrow('"pages.translations.de"')
  })

  test('writes a translation as text', async () => {
    const de = { ...englishPageTexts, 'sign-in.title': '<script>x</script>', 'sign-in.submit': '"&' }
    const { text } = await create({ language: 'de', translations: { de } }).visitor().get('/sign-in')
    expect(text).toContain('<h1>&lt;script&gt;x&lt;/script&gt;</h1>')
    expect(text).toContain('>&quot;&amp;</button>')
  })
})
