export {
  createStreamHandler,
  type StreamHandler,
  type StreamHandlerOptions,
} from './subscriptions/sse/create-stream-handler.ts'
