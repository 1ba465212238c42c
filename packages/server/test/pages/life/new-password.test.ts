import { createPasswordPolicy } from '@latchkey/password'
import { englishPageTexts, type PageTexts } from '@latchkey/server'
import { describe, expect, test } from 'vitest'
import { type Bench, createBench } from '../../support/bench.ts'
import { ownForm } from '../../support/forms.ts'

const general = 'A few unrelated words work well.'
const ruled = (characters: number) => `At least ${characters} characters. A few unrelated words work well.`
const ownPolicy = { check: async () => ({ ok: true }) as const }

/** The pages on which a password is chosen, before the first attempt. */
const pages: readonly (readonly [path: string, name: string, open: (bench: Bench) => Promise<string>])[] = [
  ['/sign-up', 'password', async (bench) => (await bench.visitor().get('/sign-up')).text],
  [
    '/account/password',
    'new_password',
    async (bench) => (await (await bench.signedIn()).get('/account/password')).text,
  ],
  [
    '/reset',
    'password',
    async (bench) => {
      const { email } = await bench.insert()
      await bench.visitor().post('/reset', { email }, ownForm)
      return (await bench.visitor().get(`/reset?token=${await bench.mailedToken(email)}`)).text
    },
  ],
]

describe.each(pages)('the field of %s for a new password', (_path, name, open) => {
  const hintOf = (text: string) => new RegExp(`<p class="hint" id="${name}-hint">(.*)</p>`).exec(text)?.[1]

  test.each([
    ['the default', undefined, ruled(15)],
    ['one of createPasswordPolicy', createPasswordPolicy({ minimumCharacters: 8 }), ruled(8)],
    ['one that says its minimum', { ...ownPolicy, minimumCharacters: 12 }, ruled(12)],
    ['one that does not', ownPolicy, general],
  ])('shows the rule of the policy, %s, as its description', async (_what, passwordPolicy, hint) => {
    const text = await open(createBench({ options: passwordPolicy ? { signIn: { passwordPolicy } } : {} }))
    expect(hintOf(text)).toBe(hint)
    expect(text).toMatch(new RegExp(`<input id="${name}"[^>]* aria-describedby="${name}-hint"`))
  })

  test('shows it in the language of the page', async () => {
    const de: PageTexts = { ...englishPageTexts, 'field.new-password-rule': 'Mindestens {characters} Zeichen.' }
    const options = { pages: { language: 'de', translations: { de } } }
    expect(hintOf(await open(createBench({ options })))).toBe('Mindestens 15 Zeichen.')
  })
})

test('the field of /sign-up has the label that people know', async () => {
  expect((await createBench().visitor().get('/sign-up')).text).toContain('<label for="password">Password</label>')
})
