import type { MailText, MailTexts } from '../message.ts'
import { ifYou, notYou } from './english-advice.ts'
import { englishFactorTexts } from './english-factor-texts.ts'
import { onTime } from './on-time.ts'

function confirming(request: string, url: string): MailText {
  const paragraphs = [
    request,
    'To confirm your email address, open this link. It works once:',
    url,
    'To keep the password you chose, open the link in the browser you signed up with, or enter that password again. ' +
      "Otherwise, we'll send you another email to choose one.",
    "If this wasn't you, you can ignore this email. No account is created unless you confirm.",
  ]
  return { subject: 'Confirm your email address', paragraphs }
}

const requested = {
  'sign-up': 'create an account with this email address',
  'email-change': 'use this email address for another account',
} as const

const taken = {
  'sign-up': 'You already have an account with this address.',
  'email-change': 'This address already belongs to your account.',
} as const

function count(number: number, unit: string): string {
  return number === 1 ? `1 ${unit}` : `${number} ${unit}s`
}

const unchanged = "If this wasn't you, you can ignore this email. Your account hasn't changed."

/** An undone change leaves what is older: another person may have added it long before. */
const olderFactors =
  "Second factors added before the change was requested still work. After you sign in, review them and remove any you don't recognize."

const undoing = [
  'Your account gets its email address back, all devices are signed out, and you choose a new password.',
  olderFactors,
]

function addressReserved(request: string): MailText {
  return {
    subject: 'This email address is reserved',
    paragraphs: [
      `${request}. This address is reserved for the account that used it before.`,
      'To move that account back to this address, use the link in the email we sent you about the change.',
      unchanged,
    ],
  }
}

/** The words of mails unless others are given. */
export const englishMailTexts: MailTexts = {
  'verify-address': ({ url, at }) => confirming(`We received a request ${onTime(at)} to ${requested['sign-up']}.`, url),

  'contested-address': ({ url, at }) =>
    confirming(
      `We received another request ${onTime(at)} to ${requested['sign-up']}. Each request has its own link: open the one for the request you made.`,
      url,
    ),

  'account-exists': ({ at, accountUrl, resetUrl, occasion, isReserved }) => {
    const request = `We received a request ${onTime(at)} to ${requested[occasion]}`
    if (isReserved) return addressReserved(request)
    return {
      subject: 'You already have an account',
      paragraphs: [
        `${request}. ${taken[occasion]}`,
        'To sign in, go to your account:',
        accountUrl,
        'If you forgot your password, reset it:',
        resetUrl,
        unchanged,
      ],
    }
  },

  'choose-password': ({ url, occasion }) =>
    occasion === 'undone-change'
      ? {
          subject: 'Choose a new password',
          paragraphs: [
            'Your account has its email address back, and its password no longer works. We removed the second factors and linked providers that were added since the change was requested.',
            'To choose a new password, open this link. It works once:',
            url,
            olderFactors,
          ],
        }
      : {
          subject: 'Choose a password',
          paragraphs: [
            "Your account is ready, but doesn't have a password yet.",
            'To choose a password, open this link. It works once:',
            url,
            "If you weren't expecting this email, you can ignore it.",
          ],
        },

  'reset-password': ({ url, at }) => ({
    subject: 'Reset your password',
    paragraphs: [
      `We received a request ${onTime(at)} to reset your password.`,
      "To choose a new password, open this link. It works once, and you'll be signed out on all devices:",
      url,
      "If this wasn't you, you can ignore this email. Your password won't change.",
    ],
  }),

  'sign-in-code': ({ code, at, minutes }) => ({
    subject: 'Your sign-in code',
    paragraphs: [
      `We received a request ${onTime(at)} for a code to sign in to your account.`,
      `Enter this code where you requested it. It works only there, once, and for ${count(minutes, 'minute')}:`,
      code,
      "Don't share this code. If someone asks you for it, they're trying to sign in to your account.",
      unchanged,
    ],
  }),

  'password-changed': ({ at, resetUrl }) => ({
    subject: 'Your password was changed',
    paragraphs: [
      `Your password was changed ${onTime(at)}. All other devices were signed out.`,
      ifYou,
      ...notYou(resetUrl),
    ],
  }),

  'confirm-email-change': ({ url, at }) => ({
    subject: 'Confirm your new email address',
    paragraphs: [
      `We received a request ${onTime(at)} to use this email address for an account.`,
      'To confirm your new email address, open this link. It works once:',
      url,
      "If this wasn't you, you can ignore this email. The account doesn't change unless you confirm.",
    ],
  }),

  'email-change-notice': ({ url, at, resetUrl, undoDays }) => {
    const request = `We received a request ${onTime(at)} to change the email address of your account.`
    return undoDays === 0
      ? {
          subject: 'Confirm your email address change',
          paragraphs: [
            request,
            'The change takes effect after both the old and the new address confirm it. To confirm, open this link. It works once:',
            url,
            "If this wasn't you, don't open that link: someone else is signed in to your account. Reset your password right away:",
            resetUrl,
          ],
        }
      : {
          subject: 'Your email address is about to change',
          paragraphs: [
            request,
            ifYou,
            `If this wasn't you, open this link to stop or undo the change. It works once, for ${count(undoDays, 'day')}, even after the change:`,
            url,
            ...undoing,
          ],
        }
  },

  'email-changed': ({ url, at, undoDays }) => ({
    subject: 'Your email address was changed',
    paragraphs: [
      `The email address of your account was changed ${onTime(at)}. All other devices were signed out.`,
      ifYou,
      ...(url === null
        ? ["If this wasn't you, contact support right away."]
        : [
            `If this wasn't you, open this link to undo the change. It works once, for ${count(undoDays, 'day')}:`,
            url,
            ...undoing,
          ]),
    ],
  }),

  'new-device': ({ at, devicesUrl, resetUrl }) => ({
    subject: 'A new device signed in to your account',
    paragraphs: [
      `A new device signed in to your account ${onTime(at)}.`,
      'If this was you, you can ignore this email. To see all devices that are signed in:',
      devicesUrl,
      "If this wasn't you, reset your password. This signs out all devices:",
      resetUrl,
    ],
  }),

  ...englishFactorTexts,

  'account-locked': ({ at, resetUrl, reason }) =>
    reason === 'guessing'
      ? {
          subject: 'Your password was disabled',
          paragraphs: [
            `Your password was disabled ${onTime(at)} after too many incorrect attempts.`,
            'To sign in with a password again, reset it:',
            resetUrl,
            'If you have a passkey, you can still sign in with it.',
            "If this wasn't you, someone tried to guess your password. None of the attempts succeeded.",
          ],
        }
      : {
          subject: 'Your account was locked',
          paragraphs: [
            `Support locked your account ${onTime(at)}. You were signed out on all devices.`,
            'To find out why, contact support.',
          ],
        },

  'api-key-created': ({ at, accountUrl, resetUrl }) => ({
    subject: 'An API key was created for your account',
    paragraphs: [
      `An API key was created for your account ${onTime(at)}. With it, a program can use your account.`,
      'If this was you, you can ignore this email. To see or revoke your keys, go to your account:',
      accountUrl,
      "If this wasn't you, reset your password. This also revokes all API keys:",
      resetUrl,
    ],
  }),

  impersonated: ({ at, devicesUrl, minutes }) => ({
    subject: 'Support accessed your account',
    paragraphs: [
      `Support accessed your account ${onTime(at)}. This access lasts up to ${count(minutes, 'minute')}. It can't be used to see or change your password or second factors, or to change your email address.`,
      'To see or end this access, go to your devices:',
      devicesUrl,
      "If you don't know why, contact support.",
    ],
  }),

  'account-deleted': ({ at }) => ({
    subject: 'Your account was deleted',
    paragraphs: [
      `Your account was deleted ${onTime(at)}, and all devices were signed out. This can't be undone.`,
      ifYou,
      "If this wasn't you, contact support right away.",
    ],
  }),
}
