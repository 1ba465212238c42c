import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { onTestFinished } from 'vitest'
import { certificateOfThisMachine } from './certificates.ts'

export { certificateOfAnother, certificateOfThisMachine, testAuthority } from './certificates.ts'

/** A mail as the server got it. */
export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** Headers, an empty line, and the parts. */
  readonly source: string
  readonly isEncrypted: boolean
  readonly user: string | null
}

export interface MailServer {
  readonly port: number
  readonly received: readonly ReceivedMail[]
  /** How many connections there were. */
  connections(): number
}

/** How a server refuses what is sent to it: by a reply code, or not at all. */
export interface Refusals {
  recipient?(nth: number): number | null
  mail?(nth: number): number | null
}

/** Starts an SMTP server on this machine, which runs until the test finishes. */
export async function startMailServer(options: SMTPServerOptions = {}, refusals: Refusals = {}): Promise<MailServer> {
  const received: ReceivedMail[] = []
  const counts = { connections: 0, recipients: 0, mails: 0 }
  const server = new SMTPServer({
    ...certificateOfThisMachine,
    authOptional: true,
    disableReverseLookup: true,
    onConnect(_session, done) {
      counts.connections++
      done()
    },
    onRcptTo({ address }, _session, done) {
      done(refusal(refusals.recipient?.(++counts.recipients), address))
    },
    onData(stream, { envelope: { mailFrom, rcptTo }, secure, user }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const to = rcptTo.map(({ address }) => address)
        const refused = refusal(refusals.mail?.(++counts.mails), to[0] ?? '')
        const from = mailFrom ? mailFrom.address : ''
        const source = Buffer.concat(chunks).toString('utf8')
        if (!refused) received.push({ from, to, source, isEncrypted: secure, user: user ? String(user) : null })
        done(refused)
      })
    },
    ...options,
  })
  server.on('error', () => null)
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  onTestFinished(() => new Promise((closed) => server.close(() => closed())))
  return { port: (server.server.address() as AddressInfo).port, received, connections: () => counts.connections }
}

/** As servers do it, with the address in the text. */
function refusal(code: number | null | undefined, address: string): Error | null {
  if (!code) return null
  return Object.assign(new Error(`<${address}> is not for us`), { responseCode: code })
}
