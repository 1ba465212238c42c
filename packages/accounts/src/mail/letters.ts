import type { Message } from './mailer.ts'

/** The content of a mail, without its recipient. */
export type Letter = Omit<Message, 'to'>

// No mail repeats an input: a name can be an advertisement with a link. Mails that were requested name the time of the
// request, so that two of them can be distinguished.

function atTime(at: number): string {
  return `at ${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

export function verificationLetter(url: string, at: number): Letter {
  const lines = [
    `Somebody, probably you, signed up with this address ${atTime(at)}.`,
    'To confirm that it is yours, follow this link. It works once:',
    url,
    'If it was not you, ignore this mail: without the link no account exists.',
  ]
  return { subject: 'Confirm your e-mail address', text: lines.join('\n\n'), url }
}

/** For an address with more than one sign-up. */
export function contestedLetter(url: string, at: number): Letter {
  const lines = [
    `Somebody, probably you, signed up with this address ${atTime(at)}, and it was not the first time.`,
    'We cannot tell who chose which password, so none of them counts, and the link of the first mail is void.',
    'To confirm that the address is yours, follow this link. It works once; another mail lets you choose a password:',
    url,
    'If it was not you, ignore this mail: without the link no account exists.',
  ]
  return { subject: 'Confirm your e-mail address', text: lines.join('\n\n'), url }
}

/** Sent when such an address is verified. */
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
    `Somebody, probably you, signed up with this address ${atTime(at)}, and it has an account already.`,
    `You can sign in at ${home} or ask for a new password there.`,
    'If it was not you, ignore this mail: nothing has changed.',
  ]
  return { subject: 'You have an account already', text: lines.join('\n\n'), url: null }
}

export function resetLetter(url: string, at: number): Letter {
  const lines = [
    `Somebody, probably you, asked for a new password for your account ${atTime(at)}.`,
    'To choose one, follow this link. It works once, and you will be signed out everywhere:',
    url,
    'If it was not you, ignore this mail: your password stays as it is.',
  ]
  return { subject: 'Choose a new password', text: lines.join('\n\n'), url }
}

export function passwordChangedLetter(home: string): Letter {
  const lines = [
    'The password of your account has been changed, and all other devices are signed out.',
    `If it was not you, ask for a new password at ${home} at once.`,
  ]
  return { subject: 'Your password has been changed', text: lines.join('\n\n'), url: null }
}
