import type { Message } from './mailer.ts'

/** The content of a mail, without its recipient. */
export type Letter = Omit<Message, 'to'>

// No mail repeats an input: a name can be an advertisement with a link. Mails that were requested name the time of the
// request, so that two of them can be distinguished.

function atTime(at: number): string {
  return `at ${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

export function verificationLetter(url: string, at: number): Letter {
  return confirmingLetter(`Someone, probably you, signed up with this address ${atTime(at)}.`, url)
}

/** For an address that was signed up more than once. */
export function contestedLetter(url: string, at: number): Letter {
  const line = `Someone, probably you, signed up with this address ${atTime(at)}, and it was not the first time.`
  return confirmingLetter(`${line} Each sign-up has a link of its own.`, url)
}

function confirmingLetter(occasion: string, url: string): Letter {
  const lines = [
    occasion,
    'To confirm that it is yours, follow this link. It works once:',
    url,
    'The password counts if you follow the link in the browser in which you signed up, or type the password again. ' +
      'Otherwise another mail lets you choose one.',
    'If it was not you, ignore this mail: without the link no account exists.',
  ]
  return { subject: 'Confirm your e-mail address', text: lines.join('\n\n'), url }
}

/** Sent when an address is confirmed and the password of the sign-up does not count. */
export function firstPasswordLetter(url: string): Letter {
  const lines = [
    'Your address is confirmed, and your account has no password yet.',
    'To choose one, follow this link. It works once:',
    url,
  ]
  return { subject: 'Choose a password', text: lines.join('\n\n'), url }
}

export function addressTakenLetter(home: string, at: number): Letter {
  const lines = [
    `Someone, probably you, signed up with this address ${atTime(at)}, and it has an account already.`,
    `You can sign in at ${home} or ask for a new password there.`,
    'If it was not you, ignore this mail: nothing has changed.',
  ]
  return { subject: 'You have an account already', text: lines.join('\n\n'), url: null }
}

export function resetLetter(url: string, at: number): Letter {
  const lines = [
    `Someone, probably you, asked for a new password for your account ${atTime(at)}.`,
    'To choose one, follow this link. It works once, and you will be signed out everywhere:',
    url,
    'If it was not you, ignore this mail: your password stays as it is.',
  ]
  return { subject: 'Choose a new password', text: lines.join('\n\n'), url }
}

export function passwordDisabledLetter(home: string): Letter {
  const lines = [
    'Too many wrong passwords were entered for your account, so its password no longer works.',
    `To choose a new one, ask for it at ${home}. A passkey still signs you in.`,
    'If it was not you, a stranger has tried to guess it: nothing of your account was shown.',
  ]
  return { subject: 'Your password has been disabled', text: lines.join('\n\n'), url: null }
}

export function passwordChangedLetter(home: string): Letter {
  const lines = [
    'The password of your account has been changed, and all other devices are signed out.',
    `If it was not you, ask for a new password at ${home} at once.`,
  ]
  return { subject: 'Your password has been changed', text: lines.join('\n\n'), url: null }
}
