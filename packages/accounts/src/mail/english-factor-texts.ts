import type { MailText, MailTexts } from '../message.ts'
import { ifYou, notYou } from './english-advice.ts'
import { onTime } from './on-time.ts'

const added = {
  totp: 'An authenticator app was added to your account',
  passkey: 'A passkey was added to your account',
  'recovery-code': 'Your recovery codes were replaced',
} as const

const removed = {
  totp: 'An authenticator app was removed from your account',
  passkey: 'A passkey was removed from your account',
  'recovery-code': 'Recovery codes were removed from your account',
} as const

const disabled = {
  totp: 'authenticator app',
  passkey: 'passkeys',
  'recovery-code': 'recovery codes',
} as const

const guessed = {
  password: 'Someone entered your password',
  mail: 'Someone used a code or link that we emailed to you',
  provider: 'Someone signed in with a provider linked to your account',
} as const

const advised = {
  mail: "If this wasn't you, someone else can read your email. Change the password of your email account right away.",
  provider:
    "If this wasn't you, someone else is using your account with that provider. Change the password of that account right away.",
} as const

const checked = 'Then sign in, and check your second factors.'

const signedOut = 'All other devices were signed out.'

/** The address of a provider, as people read it. */
const hostOf = (issuer: string): string => URL.parse(issuer)?.host || issuer

function countCodes(remaining: number): string {
  return remaining === 1 ? '1 recovery code' : `${remaining || 'no'} recovery codes`
}

/** All factors, by an administrator: perhaps for a thief who has asked as the owner. */
function allRemoved({ at, accountUrl, resetUrl }: Parameters<MailTexts['factor-removed']>[0]): MailText {
  return {
    subject: 'Your second factors were removed',
    paragraphs: [
      `Support removed all second factors and recovery codes from your account ${onTime(at)}. You were signed out on all devices.`,
      'You can now sign in with your password alone. To add a second factor again, go to your account:',
      accountUrl,
      "If you didn't request this, contact support right away, and reset your password:",
      resetUrl,
    ],
  }
}

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
  'factor-added': ({ at, resetUrl, factor }) => ({
    subject: added[factor],
    paragraphs: [
      `${added[factor]} ${onTime(at)}. ${signedOut}`,
      ifYou,
      ...notYou(resetUrl),
      `${checked} If you're asked for one that isn't yours, contact support.`,
    ],
  }),

  'factor-removed': ({ factor, ...data }) =>
    factor === null
      ? allRemoved({ factor, ...data })
      : {
          subject: removed[factor],
          paragraphs: [`${removed[factor]} ${onTime(data.at)}. ${signedOut}`, ifYou, ...notYou(data.resetUrl), checked],
        },

  'factor-disabled': ({ at, accountUrl, resetUrl, factor }) => ({
    subject: `We turned off your ${disabled[factor]}`,
    paragraphs: [
      `We turned off your ${disabled[factor]} ${onTime(at)} after too many incorrect codes.`,
      `If this was you, sign in with another second factor or a recovery code, and set up your ${disabled[factor]} again:`,
      accountUrl,
      "If this wasn't you, someone else knows your password or is using a device where you're signed in. Reset your password right away:",
      resetUrl,
      "If you don't have another second factor or a recovery code, contact support.",
    ],
  }),

  'codes-guessed': ({ at, resetUrl, first }) => ({
    subject: 'Suspicious sign-in attempt',
    paragraphs: [
      `${guessed[first]}, and then entered several incorrect codes. The last attempt was ${onTime(at)}.`,
      ifYou,
      ...(first === 'password'
        ? ["If this wasn't you, someone else knows your password. Reset it right away:", resetUrl]
        : [advised[first]]),
    ],
  }),

  'provider-linked': ({ at, resetUrl, issuer }) => ({
    subject: 'A sign-in method was added to your account',
    paragraphs: [
      `Your account was linked to ${hostOf(issuer)} ${onTime(at)}, and you can now sign in with it. ${signedOut}`,
      ifYou,
      "If this wasn't you, reset your password. This also unlinks your account from all providers:",
      resetUrl,
    ],
  }),

  'provider-unlinked': ({ at, resetUrl, issuer }) => ({
    subject: 'A sign-in method was removed from your account',
    paragraphs: [
      `Your account was unlinked from ${hostOf(issuer)} ${onTime(at)}, and you can no longer sign in with it. ${signedOut}`,
      ifYou,
      ...notYou(resetUrl),
    ],
  }),

  'recovery-code-used': ({ at, accountUrl, resetUrl, remaining }) => ({
    subject: 'A recovery code was used',
    paragraphs: [
      `One of your recovery codes was used ${onTime(at)}. It won't work again.`,
      ...(remaining === null
        ? [ifYou]
        : [
            `You have ${countCodes(remaining)} left. If this was you, you can get new ones in your account:`,
            accountUrl,
          ]),
      "If this wasn't you, someone else has your password and your recovery codes. Reset your password right away, and then get new recovery codes:",
      resetUrl,
    ],
  }),
}
