import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import type { Mailer, Message } from '@latchkey/accounts'
import { allowMailsInPlainText, createSmtpMailer, isSmtpError, SmtpError } from '@latchkey/server/smtp'
import { certificateOfAnother, startMailServer, testAuthority } from '@latchkey/test-services/mail-server'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

const url = 'https://example.com/verify?token=the-secret-of-the-link'
const message: Extract<Message, { readonly kind: 'verify-address' }> = {
  kind: 'verify-address',
  locale: 'en',
  html: `<!doctype html><p><a href="${url}">${url}</a></p>`,
  data: { url, at: 1 },
  to: 'ada@example.com',
  subject: 'Confirm your email address',
  text: `Follow this link:\n\n${url}`,
  url,
}

const from = 'The publication <no-reply@publication.example>'
const trusted = { from, certificateAuthorities: testAuthority, retryDelaysMs: [0, 0] }

/** What the mailer rejects with. */
async function failureOf(mailer: Mailer, sent: Message = message): Promise<SmtpError> {
  const error = await mailer.send(sent).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!isSmtpError(error)) throw new Error('the mail was not refused', { cause: error })
  return error
}

/** Everything that a log could print of an error. */
function printed(error: Error): string {
  return `${error.stack} ${String(error.cause)} ${JSON.stringify(Object.entries(Object.getOwnPropertyDescriptors(error)))}`
}

describe('a mail', () => {
  test('has plain text and HTML, a sender and one recipient, and is marked as sent automatically', async () => {
    const server = await startMailServer()
    const mailer = createSmtpMailer({
      ...trusted,
      url: `smtp://127.0.0.1:${server.port}`,
      replyTo: 'help@publication.example',
    })
    await mailer.send(message)
    const [{ source, ...envelope } = { source: '' }] = server.received
    expect(envelope).toMatchObject({ from: 'no-reply@publication.example', to: ['ada@example.com'] })
    expect(source).toContain('From: The publication <no-reply@publication.example>\r\n')
    expect(source).toContain('To: ada@example.com\r\n')
    expect(source).toContain('Reply-To: help@publication.example\r\n')
    expect(source).toContain('Subject: Confirm your email address\r\n')
    expect(source).toContain('Auto-Submitted: auto-generated\r\n')
    expect(source).toMatch(/^Message-ID: <[\w-]{22}@publication\.example>\r$/m)
    expect(source).toContain('Content-Type: multipart/alternative;')
    expect(source.indexOf('Content-Type: text/plain')).toBeLessThan(source.indexOf('Content-Type: text/html'))
  })

  test.each([
    'ada@example.com, eve@example.com',
    'ada@example.com\r\nBcc: eve@example.com',
    '<eve@example.com>',
    'eve',
    '',
  ])('is sent to a single canonical address only: %j', async (to) => {
    const server = await startMailServer()
    const mailer = createSmtpMailer({ ...trusted, url: `smtp://127.0.0.1:${server.port}` })
    const error = await failureOf(mailer, { ...message, to })
    expect(error.code).toBe('SMTP_RECIPIENT_REJECTED')
    expect(server.connections()).toBe(0)
    expect(printed(error)).not.toContain('eve')
  })

  test.each([
    ['a line break', 'Hello\r\nBcc: eve@example.com\r\n\r\nAnother body'],
    ['a line feed alone', 'Hello\nBcc: eve@example.com'],
    ['a carriage return alone', 'Hello\rBcc: eve@example.com'],
    ['other separators', 'Hello\u2028Bcc: eve@example.com\u0085X: y'],
  ])('has no header that a subject brings along: %s', async (_, subject) => {
    const server = await startMailServer()
    await createSmtpMailer({ ...trusted, url: `smtp://127.0.0.1:${server.port}` }).send({ ...message, subject })
    const [{ source, to } = { source: '', to: [] }] = server.received
    const [head = ''] = source.split('\r\n\r\n')
    expect(to).toEqual(['ada@example.com'])
    expect(head).not.toMatch(/^(?:bcc|x):/im)
  })

  test('reads no file and no address that its text names', async () => {
    const server = await startMailServer()
    const text = { path: '/etc/passwd' } as unknown as string
    const mailer = createSmtpMailer({ ...trusted, url: `smtp://127.0.0.1:${server.port}`, retryDelaysMs: [] })
    await failureOf(mailer, { ...message, text })
    expect(server.received).toEqual([])
  })
})

describe('beyond this machine', () => {
  test('a mail is sent by STARTTLS, and the password behind it', async () => {
    const server = await startMailServer({
      authOptional: false,
      onAuth: ({ username, password }, _session, done) => {
        if (username === 'us er' && password === 'p:w/d') done(null, { user: username })
        else done(new Error('no'))
      },
    })
    await createSmtpMailer({ ...trusted, url: `smtp://us%20er:p%3Aw%2Fd@0.0.0.0:${server.port}` }).send(message)
    expect(server.received).toMatchObject([{ isEncrypted: true, user: 'us er' }])
  })

  test('the mailer uses TLS from the start with smtps:', async () => {
    const server = await startMailServer({ secure: true })
    await createSmtpMailer({ ...trusted, url: `smtps://127.0.0.1:${server.port}` }).send(message)
    expect(server.received).toMatchObject([{ isEncrypted: true }])
  })

  test('the mailer sends no mail without TLS, unless plain text is allowed by name', async () => {
    const server = await startMailServer({ disabledCommands: ['STARTTLS'] })
    const address = `smtp://0.0.0.0:${server.port}`
    expect((await failureOf(createSmtpMailer({ ...trusted, url: address }))).code).toBe('SMTP_TLS_UNAVAILABLE')
    expect(server.received).toEqual([])
    expect(server.connections()).toBe(1)
    await createSmtpMailer({ ...trusted, url: address, transport: allowMailsInPlainText }).send(message)
    expect(server.received).toMatchObject([{ isEncrypted: false }])
  })

  test.each<[string, Partial<Parameters<typeof createSmtpMailer>[0]>, object]>([
    ['of an authority that is not trusted', {}, {}],
    ['of another host', { certificateAuthorities: testAuthority }, certificateOfAnother],
  ])('nothing is sent to a server with a certificate %s, and it is asked once', async (_, options, certificate) => {
    for (const [secure, scheme] of [
      [false, 'smtp'],
      [true, 'smtps'],
    ] as const) {
      const server = await startMailServer({ ...certificate, secure })
      const mailer = createSmtpMailer({ from, url: `${scheme}://0.0.0.0:${server.port}`, ...options })
      expect((await failureOf(mailer)).code).toBe('SMTP_TLS_UNAVAILABLE')
      expect(server.received).toEqual([])
      expect(server.connections()).toBeLessThanOrEqual(1)
    }
  })
})

describe('an SMTP refusal', () => {
  test("is final for the recipient, and its error has neither the address nor the server's reply", async () => {
    const server = await startMailServer({}, { recipient: () => 550 })
    const error = await failureOf(createSmtpMailer({ ...trusted, url: `smtp://127.0.0.1:${server.port}` }))
    expect(error).toMatchObject({ code: 'SMTP_RECIPIENT_REJECTED', status: 550 })
    expect(server.connections()).toBe(1)
    expect(printed(error)).not.toMatch(/ada|is not for us|the-secret-of-the-link/)
  })

  test('is final for the mail', async () => {
    const server = await startMailServer({}, { mail: () => 554 })
    const error = await failureOf(createSmtpMailer({ ...trusted, url: `smtp://127.0.0.1:${server.port}` }))
    expect(error).toMatchObject({ code: 'SMTP_MESSAGE_REJECTED', status: 554 })
    expect(server.connections()).toBe(1)
  })

  test('is final for the password, and the mail is not sent without a sign-in', async () => {
    const server = await startMailServer({
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => done(new Error('no')),
    })
    const error = await failureOf(
      createSmtpMailer({ ...trusted, url: `smtp://the-user:the-password@127.0.0.1:${server.port}` }),
    )
    expect(error).toMatchObject({ code: 'SMTP_CREDENTIALS_REJECTED', status: 535 })
    expect(server.connections()).toBe(1)
    expect(server.received).toEqual([])
    expect(printed(error)).not.toMatch(/the-password|the-user/)
  })

  test('is final for a server without AUTH if a password is given', async () => {
    const server = await startMailServer({ disabledCommands: ['AUTH'] })
    const error = await failureOf(createSmtpMailer({ ...trusted, url: `smtp://user:pass@127.0.0.1:${server.port}` }))
    expect(error.code).toBe('SMTP_CREDENTIALS_REJECTED')
    expect(server.received).toEqual([])
  })

  test('is retried with the same mail if it is temporary', async () => {
    const server = await startMailServer(
      {},
      { recipient: (nth) => (nth === 1 ? 450 : null), mail: (nth) => (nth === 1 ? 503 : null) },
    )
    await createSmtpMailer({ ...trusted, url: `smtp://127.0.0.1:${server.port}` }).send(message)
    expect(server.connections()).toBe(3)
    expect(server.received).toHaveLength(1)
  })

  test('fails after the last attempt if it is temporary', async () => {
    const server = await startMailServer({}, { recipient: () => 450 })
    const error = await failureOf(createSmtpMailer({ ...trusted, url: `smtp://127.0.0.1:${server.port}` }))
    expect(error).toMatchObject({ code: 'SMTP_UNAVAILABLE', status: 450 })
    expect(server.connections()).toBe(3)
    expect(printed(error)).not.toMatch(/ada|is not for us/)
  })
})

describe('a server', () => {
  /** A server that does as it is told with each connection. */
  async function startTcp(
    onConnection: (socket: import('node:net').Socket) => void,
  ): Promise<{ port: number; count(): number }> {
    let connections = 0
    const server = createTcpServer((socket) => {
      connections++
      socket.resume().on('error', () => null)
      onConnection(socket)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => new Promise((closed) => server.close(() => closed())))
    return { port: (server.address() as AddressInfo).port, count: () => connections }
  }

  test.each<[string, (socket: import('node:net').Socket) => void]>([
    ['says nothing', () => null],
    [
      'says its greeting a byte at a time, for ever',
      (socket) => {
        const timer = setInterval(() => socket.write('2'), 20)
        socket.on('close', () => clearInterval(timer))
      },
    ],
    ['stops after its greeting', (socket) => void socket.write('220 here\r\n')],
    ['hangs up', (socket) => socket.destroy()],
    ['speaks another protocol', (socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('that %s is left at the deadline of each attempt', async (_, onConnection) => {
    const { port, count } = await startTcp(onConnection)
    const mailer = createSmtpMailer({ from, url: `smtp://127.0.0.1:${port}`, deadlineMs: 500, retryDelaysMs: [0] })
    expect((await failureOf(mailer)).code).toBe('SMTP_UNAVAILABLE')
    await vi.waitFor(() => expect(count()).toBe(2), { timeout: 20_000 })
  })

  test('is reported after the last attempt if it cannot be reached', async () => {
    const { port } = await startTcp(() => null)
    const closed = await startMailServer()
    expect(closed.port).not.toBe(port)
    const mailer = createSmtpMailer({ from, url: 'smtp://127.0.0.1:1', retryDelaysMs: [0] })
    expect(await failureOf(mailer)).toMatchObject({ code: 'SMTP_UNAVAILABLE', status: null })
  })

  test('has five connections at once at most, and gets every mail', async () => {
    const held: (() => void)[] = []
    let isOpen = false
    const server = await startMailServer({
      onConnect(_session, done) {
        if (isOpen) done()
        else held.push(done)
      },
    })
    const mailer = createSmtpMailer({ ...trusted, url: `smtp://127.0.0.1:${server.port}` })
    const recipients = Array.from({ length: 30 }, (_, index) => `ada${index}@example.com`)
    const sent = Promise.all(recipients.map((to) => mailer.send({ ...message, to })))
    await vi.waitFor(() => expect(held).toHaveLength(5), { timeout: 20_000 })
    // While another mail takes its whole way, no sixth connection comes.
    const other = await startMailServer()
    await createSmtpMailer({ ...trusted, url: `smtp://127.0.0.1:${other.port}` }).send(message)
    expect(held).toHaveLength(5)
    isOpen = true
    for (const done of held) done()
    await sent
    expect(server.received.map(({ to }) => to[0]).toSorted()).toEqual(recipients.toSorted())
  })
})

describe('the options', () => {
  test.each<[string, Partial<Record<keyof Parameters<typeof createSmtpMailer>[0] | 'secure', unknown>>]>([
    ['url', { url: '' }],
    ['url', { url: undefined }],
    ['url', { url: 'mail.example.com' }],
    ['url', { url: 'https://mail.example.com' }],
    ['url', { url: 'smtps://hidden:word@mail.example.com/path' }],
    ['url', { url: 'smtps://hidden:word@mail.example.com?tls.rejectUnauthorized=false' }],
    ['url', { url: 'smtps://hidden:word@mail.example.com#x' }],
    ['url', { url: 'smtps://hidden@mail.example.com' }],
    ['url', { url: 'smtps://hidden:%E0%A4%A@mail.example.com' }],
    ['from', { from: undefined }],
    ['from', { from: 'no-reply' }],
    ['from', { from: 'a@example.com, b@example.com' }],
    ['from', { from: 'Name\r\nBcc: eve@example.com <a@example.com>' }],
    ['replyTo', { replyTo: '<>' }],
    ['certificateAuthorities', { certificateAuthorities: '/etc/ssl/ca.pem' }],
    ['transport', { transport: true }],
    ['deadlineMs', { deadlineMs: 0 }],
    ['deadlineMs', { deadlineMs: Number.NaN }],
    ['retryDelaysMs', { retryDelaysMs: [-1] }],
    ['retryDelaysMs', { retryDelaysMs: Array.from({ length: 11 }, () => 1) }],
    ['secure', { secure: false }],
  ])('are checked at once, and the message names %j and never repeats the address: %j', (name, options) => {
    const create = () =>
      createSmtpMailer({ url: 'smtps://mail.example.com', from, ...options } as Parameters<typeof createSmtpMailer>[0])
    expect(create).toThrow(TypeError)
    expect(create).toThrow(`"${name}"`)
    expect(create).not.toThrow(/hidden|eve/)
  })
})

test('isSmtpError recognizes an error of another copy of the package by its code', () => {
  const other = Object.assign(new Error('x'), { name: 'SmtpError', code: 'SMTP_UNAVAILABLE' })
  expect(isSmtpError(other)).toBe(true)
  expect(isSmtpError(Object.assign(new Error('x'), { name: 'SmtpError', code: 'OTHER' }))).toBe(false)
  expect(isSmtpError(new SmtpError('SMTP_TLS_UNAVAILABLE', 'x'))).toBe(true)
})
