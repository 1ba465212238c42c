import { startMailServer } from '@latchkey/test-services/mail-server'
import { expect, test, vi } from 'vitest'
import { nodeStart, startQuickstart } from '../support/start-quickstart.ts'
import { createVisitor } from '../support/visitor.ts'

// A mail starts up to two seconds after the answer.
const soon = { timeout: 30_000, interval: 50 }

const requestReset = 'mutation ($email: String!) { requestPasswordReset(input: { email: $email }) }'

test('mails are handed over to SMTP_URL, and their links are printed nowhere', async () => {
  const mails = await startMailServer()
  const settings = {
    SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    MAIL_FROM: 'The publication <no-reply@publication.example>',
  }
  const service = await startQuickstart(settings, nodeStart)
  const visitor = createVisitor(service.url)
  expect(await visitor.ask(requestReset, { email: 'reader@example.com' })).toMatchObject({ status: 200 })
  await vi.waitFor(() => expect(mails.received).toHaveLength(1), soon)
  expect(mails.received[0]).toMatchObject({ from: 'no-reply@publication.example', to: ['reader@example.com'] })
  expect(mails.received[0]?.source).toContain('/app/new-password?token')
  expect(await service.stop()).toBe(0)
  // Beside the server the folder has the same mail.
  expect(await service.mailsTo('reader@example.com')).toHaveLength(1)
  expect(service.output()).not.toContain('/app/new-password?token')
})

test('a recipient that the SMTP server refuses is logged in a line without the address, and the response is the same', async () => {
  const mails = await startMailServer({}, { recipient: () => 550 })
  const settings = { SMTP_URL: `smtp://127.0.0.1:${mails.port}`, MAIL_FROM: 'no-reply@publication.example' }
  const service = await startQuickstart(settings, nodeStart)
  const visitor = createVisitor(service.url)
  const [known, unknown] = [
    await visitor.ask(requestReset, { email: 'reader@example.com' }),
    await visitor.ask(requestReset, { email: 'stranger@example.com' }),
  ]
  expect(known).toMatchObject({ status: 200, data: { requestPasswordReset: true } })
  expect(unknown).toMatchObject({ status: 200, data: { requestPasswordReset: true } })
  await vi.waitFor(() => expect(service.output()).toContain('SMTP_RECIPIENT_REJECTED'), soon)
  expect(await service.stop()).toBe(0)
  expect(mails.connections()).toBe(1)
  expect(service.output()).toContain('"type":"mail.failed"')
  expect(service.output()).not.toMatch(/reader@example.com|is not for us/)
})
