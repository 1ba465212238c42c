import type { MailText, MailTexts } from '../mail-kinds.ts'
import { atTime } from './at-time.ts'
import { englishFactorTexts } from './english-factor-texts.ts'

function confirming(occasion: string, url: string): MailText {
  const paragraphs = [
    occasion,
    'To confirm that it is yours, follow this link. It works once:',
    url,
    'The password counts if you follow the link in the browser in which you signed up, or type the password again. ' +
      'Otherwise another mail lets you choose one.',
    'If it was not you, ignore this mail: without the link no account exists.',
  ]
  return { subject: 'Confirm your e-mail address', paragraphs }
}

const asked = {
  'sign-up': 'signed up with this address',
  'email-change': 'asked that another account have this address',
} as const

function daysInWords(days: number): string {
  return days === 1 ? 'a day' : `${days} days`
}

function minutesInWords(minutes: number): string {
  return minutes === 1 ? 'a minute' : `${minutes} minutes`
}

/** An undone change leaves what is older: another person may have added it long before. */
const olderFactors =
  'Second factors that were added before the change still count. Look at your factors once you are signed in, and remove those that are not yours.'

/** The words of mails unless others are given. */
export const englishTexts: MailTexts = {
  'verify-address': ({ url, at }) =>
    confirming(`Someone, probably you, signed up with this address ${atTime(at)}.`, url),

  'contested-address': ({ url, at }) => {
    const line = `Someone, probably you, signed up with this address ${atTime(at)}, and it was not the first time.`
    return confirming(`${line} Each sign-up has a link of its own.`, url)
  },

  'account-exists': ({ home, at, occasion, isReserved }) => ({
    subject: isReserved ? 'This address is reserved' : 'You have an account already',
    paragraphs: [
      `Someone, probably you, ${asked[occasion]} ${atTime(at)}, and it ${isReserved ? 'is reserved for the account that had it' : 'has an account already'}.`,
      isReserved
        ? 'The link of the mail that told you of the change gives it back to that account.'
        : `You can sign in at ${home} or ask for a new password there.`,
      'If it was not you, ignore this mail: nothing has changed.',
    ],
  }),

  'choose-password': ({ url, occasion }) => ({
    subject: 'Choose a password',
    paragraphs: [
      occasion === 'undone-change'
        ? 'Your account has its address back, and no password. Second factors and providers added since the change was requested are removed.'
        : 'Your account has no password.',
      'To choose one, follow this link. It works once:',
      url,
      ...(occasion === 'undone-change' ? [olderFactors] : []),
    ],
  }),

  'reset-password': ({ url, at }) => ({
    subject: 'Choose a new password',
    paragraphs: [
      `Someone, probably you, asked for a new password for your account ${atTime(at)}.`,
      'To choose one, follow this link. It works once, and you will be signed out everywhere:',
      url,
      'If it was not you, ignore this mail: your password stays as it is.',
    ],
  }),

  'sign-in-code': ({ code, at, minutes }) => ({
    subject: 'Your code to sign in',
    paragraphs: [
      `Someone, probably you, asked for a code to sign in ${atTime(at)}.`,
      `Enter it where you asked for it. It works there and nowhere else, once, within ${minutesInWords(minutes)}:`,
      code,
      'Tell it to nobody: who asks you for it wants to sign in to your account.',
      'If it was not you, ignore this mail: nothing has changed.',
    ],
  }),

  'password-changed': ({ home }) => ({
    subject: 'Your password has been changed',
    paragraphs: [
      'The password of your account has been changed, and all other devices are signed out.',
      `If it was not you, ask for a new password at ${home} at once.`,
    ],
  }),

  'confirm-email-change': ({ url, at }) => ({
    subject: 'Confirm your new e-mail address',
    paragraphs: [
      `Someone, probably you, asked ${atTime(at)} that an account have this address.`,
      'To confirm that it is yours, follow this link. It works once:',
      url,
      'If it was not you, ignore this mail: without the link nothing changes.',
    ],
  }),

  'email-change-notice': ({ url, at, undoDays }) =>
    undoDays === 0
      ? {
          subject: 'Confirm the change of your e-mail address',
          paragraphs: [
            `Someone, probably you, asked ${atTime(at)} that your account have another address.`,
            'It changes when both addresses have confirmed it. To confirm it, follow this link. It works once:',
            url,
            'If it was not you, do not follow it, and choose a new password at once: another person is signed in to your account.',
          ],
        }
      : {
          subject: 'Your e-mail address is about to change',
          paragraphs: [
            `Someone, probably you, asked ${atTime(at)} that your account have another address. If it was you, ignore this mail.`,
            `If it was not you, follow this link. It works once, within ${daysInWords(undoDays)}, also after the change:`,
            url,
            'Your account gets its address back, everybody is signed out, and you choose a new password.',
            olderFactors,
          ],
        },

  'email-changed': ({ url, home, undoDays }) => ({
    subject: 'Your e-mail address has been changed',
    paragraphs: [
      'The address of your account has been changed, and all other devices are signed out.',
      ...(url === null
        ? [`If it was not you, tell those who run the service at ${home}.`]
        : [
            `If it was not you, follow this link. It works once, within ${daysInWords(undoDays)}:`,
            url,
            'Your account gets its address back, everybody is signed out, and you choose a new password.',
            olderFactors,
          ]),
    ],
  }),

  'new-device': ({ home, at }) => ({
    subject: 'A new device has signed in',
    paragraphs: [
      `A device that was not known before has signed in to your account ${atTime(at)}.`,
      `If it was not you, ask for a new password at ${home} at once.`,
    ],
  }),

  ...englishFactorTexts,

  'account-locked': ({ reason, home }) =>
    reason === 'guessing'
      ? {
          subject: 'Your password has been disabled',
          paragraphs: [
            'Too many wrong passwords were entered for your account, so its password no longer works.',
            `To choose a new one, ask for it at ${home}. A passkey still signs you in.`,
            'If it was not you, a stranger has tried to guess it: nothing of your account was shown.',
          ],
        }
      : {
          subject: 'Your account has been locked',
          paragraphs: [
            'Your account has been locked by those who run the service, and you are signed out everywhere.',
            `Ask them why, and what to do about it: you find them at ${home}.`,
          ],
        },

  impersonated: ({ home, at, minutes }) => ({
    subject: 'Support has opened your account',
    paragraphs: [
      `Those who run the service have opened your account ${atTime(at)}, for ${minutesInWords(minutes)} at most. They can neither see nor change your password, your address and your second factors.`,
      `Your devices at ${home} show it, and you can end it there. If you do not know why, ask them.`,
    ],
  }),

  'account-deleted': ({ home }) => ({
    subject: 'Your account has been deleted',
    paragraphs: [
      'Your account has been deleted, and all devices are signed out. This cannot be undone.',
      `If it was not you, tell those who run the service at ${home} at once.`,
    ],
  }),
}
