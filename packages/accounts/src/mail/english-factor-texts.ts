import type { MailTexts } from '../mail-kinds.ts'
import { atTime } from './at-time.ts'

const words = {
  totp: 'an authenticator app',
  passkey: 'a passkey',
  'recovery-code': 'new recovery codes',
} as const

const disabled: Readonly<Record<keyof typeof words, string>> = {
  totp: 'authenticator app',
  passkey: 'passkeys',
  'recovery-code': 'recovery codes',
}

const added: Readonly<Record<keyof typeof words, string>> = {
  totp: 'A second factor has been added',
  passkey: 'A second factor has been added',
  'recovery-code': 'Your recovery codes have been replaced',
}

const guessed = {
  password: 'entered your password',
  mail: 'used a code or a link that we mailed to you',
  provider: 'signed in with a provider that is linked to your account',
} as const

const advised = {
  mail: 'If it was not you, another person reads your mails: change the password of your mailbox at once.',
  provider: 'If it was not you, another person uses your account at that provider: change its password at once.',
} as const

/** The address of a provider, as people read it. */
const hostOf = (issuer: string): string => URL.parse(issuer)?.host || issuer

/** The words of mails about factors. */
export const englishFactorTexts: Pick<
  MailTexts,
  | 'factor-added'
  | 'factor-removed'
  | 'factor-disabled'
  | 'codes-guessed'
  | 'provider-linked'
  | 'provider-unlinked'
  | 'recovery-code-used'
> = {
  'factor-added': ({ home, factor }) => ({
    subject: added[factor],
    paragraphs: [
      `Your account has ${words[factor]}, and all other devices are signed out.`,
      `If it was not you, ask for a new password at ${home} at once, and tell those who run the service.`,
    ],
  }),

  'factor-removed': ({ home, factor }) =>
    factor === null
      ? {
          subject: 'Your second factors have been removed',
          paragraphs: [
            'All second factors and recovery codes of your account have been removed by those who run the service, and you are signed out everywhere.',
            `You sign in at ${home} with your password alone, and can add a second factor then.`,
            'If you did not ask for it, tell them at once.',
          ],
        }
      : {
          subject: 'A second factor has been removed',
          paragraphs: [
            `Your account no longer has ${words[factor]}, and all other devices are signed out.`,
            `If it was not you, ask for a new password at ${home} at once, and tell those who run the service.`,
          ],
        },

  'factor-disabled': ({ home, factor }) => ({
    subject: `We disabled your ${disabled[factor]}`,
    paragraphs: [
      `We disabled your ${disabled[factor]} after too many incorrect codes.`,
      `If it was you, sign in at ${home} with another second factor or a recovery code, and set up a new one. If you have neither, ask those who run the service.`,
      `If it was not you, another person knows your password or uses a device that is signed in: ask for a new password at ${home} at once.`,
    ],
  }),

  'codes-guessed': ({ home, at, first }) => ({
    subject: 'Suspicious sign-in attempt',
    paragraphs: [
      `Someone ${guessed[first]}, and then entered incorrect codes, the last one ${atTime(at)}.`,
      'If it was you, ignore this mail.',
      first === 'password'
        ? `If it was not you, another person knows your password: ask for a new one at ${home} at once.`
        : advised[first],
    ],
  }),

  'provider-linked': ({ home, issuer }) => ({
    subject: 'A way to sign in has been added',
    paragraphs: [
      `Your account can be signed in to with ${hostOf(issuer)}, and all other devices are signed out.`,
      `If it was not you, ask for a new password at ${home} at once, and tell those who run the service.`,
    ],
  }),

  'provider-unlinked': ({ home, issuer }) => ({
    subject: 'A way to sign in has been removed',
    paragraphs: [
      `Your account can no longer be signed in to with ${hostOf(issuer)}, and all other devices are signed out.`,
      `If it was not you, ask for a new password at ${home} at once, and tell those who run the service.`,
    ],
  }),

  'recovery-code-used': ({ home, remaining }) => ({
    subject: 'A recovery code has been used',
    paragraphs: [
      'One of the recovery codes of your account has been used. It does not work again.',
      ...(remaining === null ? [] : [`Codes that are left: ${remaining}. You can get new ones at ${home}.`]),
      `If it was not you, another person has your password and your codes: choose a new password at ${home} at once, and get new codes.`,
    ],
  }),
}
