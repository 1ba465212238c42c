import { englishMailTexts, type MailTexts } from '@latchkey/accounts'
import type { MailData, MailKind } from '@latchkey/accounts/internal'
import { describe, expect, test } from 'vitest'

const at = 1_800_000_000_000
const time = 'on January 15, 2027 at 08:00:00 UTC'
const home = 'https://example.com'
const url = `${home}/verify?token=x`
const resetUrl = `${home}/reset`
const devicesUrl = `${home}/devices`
const accountUrl = `${home}/account`

const ifYou = 'If this was you, you can ignore this email.'
const notYou = "If this wasn't you, reset your password:"

type Case<Kind extends MailKind> = readonly [data: MailData[Kind], links: readonly string[]]

/** Mails of every kind, and where their links lead. */
const cases: { readonly [Kind in MailKind]: readonly Case<Kind>[] } = {
  'verify-address': [[{ url, at }, [url]]],
  'contested-address': [[{ url, at }, [url]]],
  'account-exists': (['sign-up', 'email-change'] as const).flatMap((occasion) => [
    [{ at, accountUrl, resetUrl, occasion, isReserved: false }, [accountUrl, resetUrl]] as const,
    [{ at, accountUrl, resetUrl, occasion, isReserved: true }, []] as const,
  ]),
  'choose-password': [
    [{ url, occasion: 'new-account' }, [url]],
    [{ url, occasion: 'undone-change' }, [url]],
  ],
  'reset-password': [[{ url, at }, [url]]],
  'sign-in-code': [[{ code: '12345678', at, minutes: 10 }, []]],
  'password-changed': [[{ at, resetUrl }, [resetUrl]]],
  'confirm-email-change': [[{ url, at }, [url]]],
  'email-change-notice': [
    [{ url, at, resetUrl, undoDays: 0 }, [url, resetUrl]],
    [{ url, at, resetUrl, undoDays: 7 }, [url]],
  ],
  'email-changed': [
    [{ url, at, undoDays: 7 }, [url]],
    [{ url: null, at, undoDays: 7 }, []],
  ],
  'new-device': [[{ at, devicesUrl, resetUrl }, [devicesUrl, resetUrl]]],
  'factor-added': (['totp', 'passkey', 'recovery-code'] as const).map((factor) => [
    { at, resetUrl, factor },
    [resetUrl],
  ]),
  'factor-removed': [
    ...(['totp', 'passkey', 'recovery-code'] as const).map(
      (factor) => [{ at, accountUrl, resetUrl, factor }, [resetUrl]] as const,
    ),
    [{ at, accountUrl, resetUrl, factor: null }, [accountUrl, resetUrl]],
  ],
  'factor-disabled': (['totp', 'passkey', 'recovery-code'] as const).map((factor) => [
    { at, accountUrl, resetUrl, factor },
    [accountUrl, resetUrl],
  ]),
  'codes-guessed': [
    [{ at, resetUrl, first: 'password' }, [resetUrl]],
    [{ at, resetUrl, first: 'mail' }, []],
    [{ at, resetUrl, first: 'provider' }, []],
  ],
  'provider-linked': [[{ at, resetUrl, issuer: 'https://id.example' }, [resetUrl]]],
  'provider-unlinked': [[{ at, resetUrl, issuer: 'https://id.example' }, [resetUrl]]],
  'recovery-code-used': [
    [{ at, accountUrl, resetUrl, remaining: 9 }, [accountUrl, resetUrl]],
    [{ at, accountUrl, resetUrl, remaining: null }, [resetUrl]],
  ],
  'account-locked': [
    [{ at, resetUrl, reason: 'guessing' }, [resetUrl]],
    [{ at, resetUrl, reason: 'administrator' }, []],
  ],
  'account-deleted': [[{ at }, []]],
  'api-key-created': [[{ at, accountUrl, resetUrl }, [accountUrl, resetUrl]]],
  impersonated: [[{ at, devicesUrl, minutes: 15 }, [devicesUrl]]],
}

const kinds = Object.keys(englishMailTexts) as MailKind[]

type Texts = { readonly [Kind in MailKind]: (data: MailData[Kind]) => ReturnType<MailTexts[MailKind]> }

function writeAll<Kind extends MailKind>(kind: Kind, texts: Texts = englishMailTexts) {
  return cases[kind].map(([data, links]) => ({ data, links, ...texts[kind](data) }))
}

const written = kinds.flatMap((kind) => writeAll(kind).map((mail, index) => [`${kind}, ${index + 1}`, mail] as const))

describe('a mail in English', () => {
  test.each(written)('%s has only the links of its data, each in a separate paragraph', (_name, mail) => {
    const { subject, paragraphs, links } = mail
    expect([subject, ...paragraphs].join('\n\n').match(/https?:\S+/g) ?? []).toEqual(links)
    expect(paragraphs.filter((text) => text.includes(home))).toEqual(links)
    expect(Object.values(mail.data)).toEqual(expect.arrayContaining([...links]))
  })

  test.each(written)('%s names its time in its first paragraph', (_name, { data, paragraphs }) => {
    expect(paragraphs[0]?.includes(time)).toBe('at' in data)
  })
})

describe('the words of mails in English', () => {
  test.each([
    ['https://id.example.com:8443/realm', 'id.example.com:8443'],
    ['urn:example:id', 'urn:example:id'],
    ['acme', 'acme'],
  ])('name the provider %s by its host, or by its own name', (issuer, shown) => {
    expect(englishMailTexts['provider-linked']({ at, resetUrl, issuer })).toEqual({
      subject: 'A sign-in method was added to your account',
      paragraphs: [
        `Your account was linked to ${shown} ${time}, and you can now sign in with it. All other devices were signed out.`,
        ifYou,
        "If this wasn't you, reset your password. This also unlinks your account from all providers:",
        resetUrl,
      ],
    })
    expect(englishMailTexts['provider-unlinked']({ at, resetUrl, issuer })).toEqual({
      subject: 'A sign-in method was removed from your account',
      paragraphs: [
        `Your account was unlinked from ${shown} ${time}, and you can no longer sign in with it. All other devices were signed out.`,
        ifYou,
        notYou,
        resetUrl,
      ],
    })
  })

  test.each([
    [1, '1 minute'],
    [30, '30 minutes'],
  ])('say for how long others act as the account: %d', (minutes, words) => {
    expect(englishMailTexts.impersonated({ devicesUrl, at, minutes })).toEqual({
      subject: 'Support accessed your account',
      paragraphs: [
        `Support accessed your account ${time}. This access lasts up to ${words}. It can't be used to see or change your password or second factors, or to change your email address.`,
        'To see or end this access, go to your devices:',
        devicesUrl,
        "If you don't know why, contact support.",
      ],
    })
  })

  test.each([
    ['totp', 'authenticator app'],
    ['passkey', 'passkeys'],
    ['recovery-code', 'recovery codes'],
  ] as const)('name the disabled factor: %s', (factor, words) => {
    const { subject, paragraphs } = englishMailTexts['factor-disabled']({ at, accountUrl, resetUrl, factor })
    expect([subject, paragraphs[0]]).toEqual([
      `We turned off your ${words}`,
      `We turned off your ${words} ${time} after too many incorrect codes.`,
    ])
  })

  test.each([
    [9, '9 recovery codes'],
    [1, '1 recovery code'],
    [0, 'no recovery codes'],
  ])('have the number of recovery codes that are left: %d', (remaining, words) => {
    const { paragraphs } = englishMailTexts['recovery-code-used']({ at, accountUrl, resetUrl, remaining })
    expect(paragraphs[1]).toMatch(new RegExp(`^You have ${words} left\\.`))
  })

  test.each([
    ['password', 'entered your password', ['someone else knows your password. Reset it right away:', resetUrl]],
    [
      'mail',
      'used a code or link that we emailed to you',
      ['someone else can read your email. Change the password of your email account right away.'],
    ],
    [
      'provider',
      'signed in with a provider linked to your account',
      ['someone else is using your account with that provider. Change the password of that account right away.'],
    ],
  ] as const)('name the first factor before wrong codes, and the password to change: %s', (first, done, advice) => {
    const [advised, ...link] = advice
    expect(englishMailTexts['codes-guessed']({ resetUrl, at, first })).toEqual({
      subject: 'Suspicious sign-in attempt',
      paragraphs: [
        `Someone ${done}, and then entered several incorrect codes. The last attempt was ${time}.`,
        ifYou,
        `If this wasn't you, ${advised}`,
        ...link,
      ],
    })
  })

  test('say why there is a password to choose', () => {
    const words = (occasion: 'new-account' | 'undone-change') =>
      englishMailTexts['choose-password']({ url, occasion }).paragraphs
    expect(words('new-account')).toEqual([
      "Your account is ready, but doesn't have a password yet.",
      'To choose a password, open this link. It works once:',
      url,
      "If you weren't expecting this email, you can ignore it.",
    ])
    expect(words('undone-change')).toEqual([
      'Your account has its email address back, and its password no longer works. We removed the second factors and linked providers that were added since the change was requested.',
      'To choose a new password, open this link. It works once:',
      url,
      expect.stringMatching(/^Second factors added before the change was requested still work\./),
    ])
  })
})
