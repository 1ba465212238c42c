import type { Letter } from './letters.ts'

const words = {
  totp: 'an authenticator app',
  passkey: 'a passkey',
  'recovery-code': 'new recovery codes',
} as const

type FactorInWords = keyof typeof words

const added: Readonly<Record<FactorInWords, string>> = {
  totp: 'A second factor has been added',
  passkey: 'A second factor has been added',
  'recovery-code': 'Your recovery codes have been replaced',
}

export function factorAddedLetter(home: string, factor: FactorInWords): Letter {
  const lines = [
    `Your account has ${words[factor]}, and all other devices are signed out.`,
    `If it was not you, ask for a new password at ${home} at once, and tell those who run the service.`,
  ]
  return { subject: added[factor], text: lines.join('\n\n'), url: null }
}

export function factorRemovedLetter(home: string, factor: FactorInWords): Letter {
  const lines = [
    `Your account no longer has ${words[factor]}, and all other devices are signed out.`,
    `If it was not you, ask for a new password at ${home} at once, and tell those who run the service.`,
  ]
  return { subject: 'A second factor has been removed', text: lines.join('\n\n'), url: null }
}

export function factorsResetLetter(home: string): Letter {
  const lines = [
    'All second factors and recovery codes of your account have been removed by those who run the service, and you are signed out everywhere.',
    `You sign in at ${home} with your password alone, and can add a second factor then.`,
    'If you did not ask for it, tell them at once.',
  ]
  return { subject: 'Your second factors have been removed', text: lines.join('\n\n'), url: null }
}

export function recoveryCodeUsedLetter(home: string, remaining: number | null): Letter {
  const left = remaining === null ? [] : [`Codes that are left: ${remaining}. You can get new ones at ${home}.`]
  const lines = [
    'One of the recovery codes of your account has been used. It does not work again.',
    ...left,
    `If it was not you, another person has your password and your codes: choose a new password at ${home} at once, and get new codes.`,
  ]
  return { subject: 'A recovery code has been used', text: lines.join('\n\n'), url: null }
}
