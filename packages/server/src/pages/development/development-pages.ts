import type { HttpReply, HttpRequest } from '@latchkey/http'
import { type GraphiqlFile, graphiqlFiles } from '../../options/development-pages.ts'
import type { ServicePlan } from '../../service/plan/service-plan.ts'
import { createGraphiqlPage, explainMissingGraphiql } from './graphiql-page.ts'
import { createStartPage } from './start-page.ts'

/** Returns the start page, GraphiQL or a file of it; `null`: there are no such pages, or the path is none of theirs. */
export async function answerDevelopmentPage(request: HttpRequest, plan: ServicePlan): Promise<HttpReply | null> {
  const { developmentPages: pages } = plan.options
  if (!pages || (request.method !== 'GET' && request.method !== 'HEAD')) return null
  const path = request.target.split('?', 1)[0] ?? ''
  if (path === '/') return createStartPage(plan)
  if (path === '/graphiql') {
    return (await pages.readFile('graphiql.js')) ? createGraphiqlPage(plan) : explainMissingGraphiql(plan)
  }
  const name = path.startsWith('/graphiql/') ? path.slice('/graphiql/'.length) : ''
  const body = isGraphiqlFile(name) ? await pages.readFile(name) : null
  if (!isGraphiqlFile(name) || !body) return null
  const headers = [['Content-Type', `${graphiqlFiles[name][2]}; charset=utf-8`], ...plan.security.api] as const
  return { status: 200, headers, body }
}

function isGraphiqlFile(name: string): name is GraphiqlFile {
  return Object.hasOwn(graphiqlFiles, name)
}
