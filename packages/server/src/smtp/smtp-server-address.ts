/** The value of `transport` that lets mails, with their links, and the password of the server leave this machine in plain text. */
export const allowMailsInPlainText: unique symbol = Symbol('allowMailsInPlainText')

/** Where mails are handed over. */
export interface SmtpServerAddress {
  readonly host: string
  readonly port: number
  /**
   * `from-the-start`: before the first command. `required`: by STARTTLS, or the mail is not sent. `none`: plain text.
   */
  readonly tls: 'from-the-start' | 'required' | 'none'
  readonly auth: { readonly user: string; readonly pass: string } | null
}

export interface SmtpServerOptions {
  readonly url: string
  readonly transport?: typeof allowMailsInPlainText
}

const ports = { 'smtps:': 465, 'smtp:': 587 } as const

/** @throws TypeError when `url` or `transport` cannot be used; it never repeats the address, which may have a password. */
export function readSmtpServer({ url: text, transport }: SmtpServerOptions): SmtpServerAddress {
  if (transport !== undefined && transport !== allowMailsInPlainText) {
    throw new TypeError('"transport" must be allowMailsInPlainText or omitted')
  }
  const url = URL.parse(text)
  const { protocol } = url ?? {}
  // A query could turn the certificate's check off, unseen in a variable.
  if (!url || (protocol !== 'smtps:' && protocol !== 'smtp:') || url.hostname === '' || hasMore(url)) {
    throw new TypeError(
      '"url" must be an address like smtps://user:password@mail.example.com:465, without a path or a query',
    )
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return { host, port: Number(url.port) || ports[protocol], tls: tlsOf(protocol, host, transport), auth: readAuth(url) }
}

function hasMore({ pathname, search, hash }: URL): boolean {
  return (pathname !== '' && pathname !== '/') || search !== '' || hash !== ''
}

function tlsOf(
  protocol: 'smtps:' | 'smtp:',
  host: string,
  transport: typeof allowMailsInPlainText | undefined,
): SmtpServerAddress['tls'] {
  if (protocol === 'smtps:') return 'from-the-start'
  return isLoopback(host) || transport === allowMailsInPlainText ? 'none' : 'required'
}

/** Matches all of 127.0.0.0/8, but no host name that looks like an address. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
}

function readAuth({ username, password }: URL): SmtpServerAddress['auth'] {
  if (username === '' && password === '') return null
  const [user, pass] = [decode(username), decode(password)]
  if (!user || !pass) throw new TypeError('"url": user and password belong together, both percent-encoded')
  return { user, pass }
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
