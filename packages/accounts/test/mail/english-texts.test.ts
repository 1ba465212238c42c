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

  test.each([
    ['totp', 'authenticator app'],
    ['passkey', 'passkeys'],
    ['recovery-code', 'recovery codes'],
  ] as const)('name what is disabled: %s', (factor, words) => {
    const { subject, paragraphs } = englishTexts['factor-disabled']({ home, factor })
    expect([subject, paragraphs[0]]).toEqual([
      `We disabled your ${words}`,
      `We disabled your ${words} after too many incorrect codes.`,
    ])
  })

  test.each([
    ['password', 'entered your password', `knows your password: ask for a new one at ${home} at once.`],
    [
      'mail',
      'used a code or a link that we mailed to you',
      'reads your mails: change the password of your mailbox at once.',
    ],
    [
      'provider',
      'signed in with a provider that is linked to your account',
      'uses your account at that provider: change its password at once.',
    ],
  ] as const)('name the first factor before wrong codes, and the password to change: %s', (first, done, advice) => {
    expect(englishTexts['codes-guessed']({ home, at, first })).toEqual({
      subject: 'Suspicious sign-in attempt',
      paragraphs: [
        `Someone ${done}, and then entered incorrect codes, the last one at 2027-01-15 08:00:00 UTC.`,
        'If it was you, ignore this mail.',
        `If it was not you, another person ${advice}`,
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
      'Your account has its address back, and no password. Second factors and providers added since the change was requested are removed.',
      follow,
      url,
      expect.stringMatching(/^Second factors that were added before the change still count\./),
    ])
  })
})
