import { escapeHtml } from '@latchkey/http'
import { toNodeListener } from '@latchkey/http/node'
import type { Server } from '@latchkey/server'
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import { readVisitor } from './visitor.ts'

/** Creates an application whose pages know who is signed in. */
export function createApp(service: Server): Express {
  const app = express()
  const listener = toNodeListener(service)

  // Before body parsers: the service reads bodies itself, up to its own limits.
  app.use((request, response, next) => (service.serves(request.originalUrl) ? listener(request, response) : next()))
  app.use(express.urlencoded({ extended: false }))

  app.get('/', (_request, response) => void response.send('<h1>Shop</h1><a href="/orders">Your orders</a>'))

  app.get('/orders', async (request, response) => {
    const visitor = await readVisitor(service, request)
    if (!visitor) return response.redirect(303, `/sign-in?return_to=${encodeURIComponent('/orders')}`)
    response.set('Cache-Control', 'no-store')
    response.send(`<h1>Orders of ${escapeHtml(visitor.name)}</h1><a href="/account">Your account</a>`)
  })

  // The store did not answer: that is no "signed out".
  app.use((error: Error, _request: Request, response: Response, _next: NextFunction) => {
    console.error(error.message)
    response.sendStatus(503)
  })
  return app
}
