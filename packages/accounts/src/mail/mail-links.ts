import { checkOptionNames } from '@latchkey/options'

/** The use case that the token of a link is for. */
export type MailLink = 'verifyEmail' | 'resetPassword' | 'confirmEmailChange' | 'undoEmailChange'

/** Where the links of mails lead, by the use case that takes their token. */
export type MailLinks = Readonly<Record<MailLink, string>>

const pages: MailLinks = {
  verifyEmail: '/verify',
  resetPassword: '/reset',
  confirmEmailChange: '/confirm-email-change',
  undoEmailChange: '/undo-email-change',
}

const names = { verifyEmail: true, resetPassword: true, confirmEmailChange: true, undoEmailChange: true } as const

/**
 * Returns where the links of mails lead, as URLs to which the token is added.
 *
 * @param home where the service is, without a slash at its end.
 * @throws TypeError that names what is no place for a link.
 */
export function readMailLinks(home: string, given: Partial<MailLinks> = {}): MailLinks {
  const { verifyEmail, resetPassword, confirmEmailChange, undoEmailChange } = checkOptionNames(
    '"mails.links"',
    given,
    names,
  )
  const read = (name: MailLink, place = pages[name]): string => {
    const page = typeof place !== 'string' ? null : place.startsWith('/') ? `${home}${place}` : place
    const url = page === null ? null : URL.parse(page)
    const isPlain = url && !/[?#\s\\]/.test(`${page}`) && !url.username && !url.password
    if (isPlain && /^https?:$/.test(url.protocol)) return `${page}`
    throw new TypeError(`"mails.links.${name}" must be a path or an http or https URL, without query and fragment`)
  }
  return {
    verifyEmail: read('verifyEmail', verifyEmail),
    resetPassword: read('resetPassword', resetPassword),
    confirmEmailChange: read('confirmEmailChange', confirmEmailChange),
    undoEmailChange: read('undoEmailChange', undoEmailChange),
  }
}
