// The engine's front door: which path leads where, and the small answers that need no engine.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { nowNs } from '../../base/clock.ts';
import { errorBody, generate, type Door } from './generate.ts';
import { JSON_HEADERS } from './play.ts';
import { renderMetrics } from './stats.ts';

/** Answers one request of any kind. */
export function handle(door: Door, request: IncomingMessage, response: ServerResponse): void {
  const arrivedAtNs = nowNs();
  // Only the path and the query count here; the base is there because a relative URL needs one.
  const url = URL.parse(request.url ?? '/', 'http://engine.invalid');
  switch (`${request.method} ${url?.pathname}`) {
    case 'POST /v1/chat/completions':
      return generate({ door, api: 'chat', arrivedAtNs }, request, response);
    case 'POST /v1/completions':
      return generate({ door, api: 'completions', arrivedAtNs }, request, response);
    case 'GET /v1/models':
      return sendJson(response, 200, modelList(door));
    case 'GET /health':
      response.writeHead(200, { 'content-length': 0 }).end();
      return;
    case 'GET /metrics':
      return sendMetrics(door, response);
    case 'GET /reference/truth':
      return sendTruth(door, response, url?.searchParams.get('id') ?? undefined);
    default:
      return sendJson(response, 404, errorBody('There is no such path.', 'NotFoundError', 404));
  }
}

function modelList(door: Door): object {
  const data = door.models.map((id) => ({
    id,
    object: 'model',
    created: door.startedEpochS,
    owned_by: 'rubato-reference',
  }));
  return { object: 'list', data };
}

function sendMetrics(door: Door, response: ServerResponse): void {
  const { loop, kvCapacityTokens } = door;
  const load = {
    runningCount: loop.runningCount,
    waitingCount: loop.waitingCount,
    kvUsedRatio: kvCapacityTokens === undefined ? undefined : loop.heldTokens / kvCapacityTokens,
  };
  const body = renderMetrics(door.stats, load, door.models[0] ?? '');
  response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(body);
}

function sendTruth(door: Door, response: ServerResponse, id: string | undefined): void {
  if (id === undefined) return sendJson(response, 200, door.truths.all());
  const truth = door.truths.get(id);
  if (truth === undefined) return sendJson(response, 404, errorBody('No such request.', 'NotFoundError', 404));
  return sendJson(response, 200, truth);
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, JSON_HEADERS).end(JSON.stringify(body));
}
