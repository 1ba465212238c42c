import { checkOptionNames } from '@latchkey/core/internal'

const pages = {
  verifyEmail: '/verify',
  resetPassword: '/reset',
  confirmEmailChange: '/confirm-email-change',
  undoEmailChange: '/undo-email-change',
  requestPasswordReset: '/reset',
  devices: '/devices',
  account: '/account',
}

/** The pages that the links of mails open. */
export type MailLinks = Readonly<Record<keyof typeof pages, string>>

const names = {
  verifyEmail: true,
  resetPassword: true,
  confirmEmailChange: true,
  undoEmailChange: true,
  requestPasswordReset: true,
  devices: true,
  account: true,
} as const

/**
 * Returns the URLs of the links of mails, without their tokens.
 *
 * @param home the URL of the service, without a slash at its end.
 * @throws TypeError that names the link that is not valid.
 */
export function readMailLinks(home: string, given: Partial<MailLinks> = {}): MailLinks {
  const places = { ...checkOptionNames('"mails.links"', given, names) }
  const read = (name: keyof MailLinks): string => {
    const { [name]: place = pages[name] } = places
    const page = typeof place !== 'string' ? null : place.startsWith('/') ? `${home}${place}` : place
    const url = page === null ? null : URL.parse(page)
    const isPlain = url && !/[?#\s\\]/.test(`${page}`) && !url.username && !url.password
    if (isPlain && /^https?:$/.test(url.protocol)) return `${page}`
    throw new TypeError(`"mails.links.${name}" must be a path or an http or https URL, without query and fragment`)
  }
  return {
    verifyEmail: read('verifyEmail'),
    resetPassword: read('resetPassword'),
    confirmEmailChange: read('confirmEmailChange'),
    undoEmailChange: read('undoEmailChange'),
    requestPasswordReset: read('requestPasswordReset'),
    devices: read('devices'),
    account: read('account'),
  }
}
