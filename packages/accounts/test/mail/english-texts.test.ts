import { englishTexts } from '@latchkey/accounts'
import { describe, expect, test } from 'vitest'

const at = 1_800_000_000_000
const home = 'https://example.com/'
const ifNot = `If it was not you, ask for a new password at ${home} at once, and tell those who run the service.`

describe('the words of mails in English', () => {
  test.each([
    ['https://id.example.com:8443/realm', 'id.example.com:8443'],
    ['urn:example:id', 'urn:example:id'],
    ['acme', 'acme'],
  ])('name the provider %s by its host, or as it calls itself', (issuer, shown) => {
    expect(englishTexts['provider-linked']({ home, issuer })).toEqual({
      subject: 'A way to sign in has been added',
      paragraphs: [`Your account can be signed in to with ${shown}, and all other devices are signed out.`, ifNot],
    })
    expect(englishTexts['provider-unlinked']({ home, issuer })).toEqual({
      subject: 'A way to sign in has been removed',
      paragraphs: [
        `Your account can no longer be signed in to with ${shown}, and all other devices are signed out.`,
        ifNot,
      ],
    })
  })

  test.each([
    [1, 'a minute'],
    [30, '30 minutes'],
  ])('say for how long others act as the account: %d', (minutes, words) => {
    expect(englishTexts.impersonated({ home, at, minutes })).toEqual({
      subject: 'Support has opened your account',
      paragraphs: [
        `Those who run the service have opened your account at 2027-01-15 08:00:00 UTC, for ${words} at most. They can neither see nor change your password, your address and your second factors.`,
        `Your devices at ${home} show it, and you can end it there. If you do not know why, ask them.`,
      ],
    })
  })

  test('say why there is a password to choose', () => {
    const url = 'https://example.com/reset?token=x'
    const follow = 'To choose one, follow this link. It works once:'
    const words = (occasion: 'new-account' | 'undone-change') =>
      englishTexts['choose-password']({ url, occasion }).paragraphs
    expect(words('new-account')).toEqual(['Your account has no password.', follow, url])
    expect(words('undone-change')).toEqual([
      'Your account has its address back, and no password.',
      follow,
      url,
      expect.stringMatching(/^Second factors that were added before the change still count\./),
    ])
  })
})
