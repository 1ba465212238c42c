import type { Account } from '@latchkey/accounts'
import type { HttpReply, HttpRequest } from '@latchkey/http'
import { type GraphiqlFile, graphiqlFiles } from '../../options/development-pages.ts'
import type { OpenableService } from '../../service/openable-service.ts'
import { answerFailure } from '../failure-page.ts'
import { createGraphiqlPage, explainMissingGraphiql } from './graphiql-page.ts'
import { createStartPage } from './start-page.ts'

/** Returns the start page, GraphiQL or a file of it; `null`: there are no such pages, or the path is none of theirs. */
export async function answerDevelopmentPage(request: HttpRequest, site: OpenableService): Promise<HttpReply | null> {
  const { developmentPages: pages } = site.options
  if (!pages || (request.method !== 'GET' && request.method !== 'HEAD')) return null
  const path = request.target.split('?', 1)[0] ?? ''
  if (path === '/') return answerStartPage(request, site)
  if (path === '/graphiql') {
    return (await pages.readFile('graphiql.js')) ? createGraphiqlPage(site) : explainMissingGraphiql(site)
  }
  const name = path.startsWith('/graphiql/') ? path.slice('/graphiql/'.length) : ''
  const body = isGraphiqlFile(name) ? await pages.readFile(name) : null
  if (!isGraphiqlFile(name) || !body) return null
  const headers = [['Content-Type', `${graphiqlFiles[name][2]}; charset=utf-8`], ...site.security.api] as const
  return { status: 200, headers, body }
}

async function answerStartPage(request: HttpRequest, site: OpenableService): Promise<HttpReply> {
  try {
    return createStartPage(site, await findSignedIn(request, site))
  } catch (error) {
    return answerFailure(error, request, site)
  }
}

async function findSignedIn(request: HttpRequest, site: OpenableService): Promise<Account | null> {
  const { recheck, accounts } = await site.open()
  const { credential, identity } = await recheck.read(request)
  return identity && credential === 'cookie' ? accounts.get(identity.subject) : null
}

function isGraphiqlFile(name: string): name is GraphiqlFile {
  return Object.hasOwn(graphiqlFiles, name)
}
