import 'reflect-metadata'
import type { INestApplication } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { NotesModule } from './notes.ts'

/** The handler reads bodies itself: NestJS must not have read them before. */
export function createApplication(): Promise<INestApplication> {
  return NestFactory.create(NotesModule, { bodyParser: false, logger: ['error', 'warn'] })
}
