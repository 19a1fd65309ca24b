// The engine's front door: which path leads where, and the small answers that need no engine.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { nowNs } from '../../base/clock.ts';
import { errorBody, generate, type Door } from './generate.ts';
import type { PageContext } from './persona.ts';
import { modelList } from './personas/pages.ts';
import { JSON_HEADERS } from './play.ts';

/** Answers one request of any kind. */
export function handle(door: Door, request: IncomingMessage, response: ServerResponse): void {
  const arrivedAtNs = nowNs();
  // Only the path and the query count here; the base is there because a relative URL needs one.
  const url = URL.parse(request.url ?? '/', 'http://engine.invalid');
  if (url === null) return sendNotFound(response);
  if (request.method === 'GET') return sendPage(door, url, response);
  const route = door.persona.routes.find(({ path }) =>
    typeof path === 'string' ? path === url.pathname : path.test(url.pathname),
  );
  if (request.method !== 'POST' || route === undefined) return sendNotFound(response);
  generate({ door, route, url, arrivedAtNs }, request, response);
}

function sendPage(door: Door, url: URL, response: ServerResponse): void {
  switch (url.pathname) {
    case '/v1/models':
      return sendJson(response, 200, modelList(pageContext(door), door.persona.ownedBy));
    case '/health':
      response.writeHead(200, { 'content-length': 0 }).end();
      return;
    case '/reference/truth':
      return sendTruth(door, response, url.searchParams.get('id') ?? undefined);
  }
  const page = door.persona.pages.find(({ path }) => path === url.pathname);
  if (page === undefined || (page.signal !== undefined && !door.signals[page.signal])) return sendNotFound(response);
  const body = page.body(pageContext(door));
  if (!('text' in body)) return sendJson(response, 200, body);
  response.writeHead(200, { 'content-type': body.type }).end(body.text);
}

function pageContext({ models, startedEpochS, metrics, perfRing, stats, loop, model }: Door): PageContext {
  const { kvCapacityTokens, speculation } = model;
  const kvUsedRatio = kvCapacityTokens === undefined ? undefined : loop.heldTokens / kvCapacityTokens;
  const { runningCount, waitingCount, stepCount, lastStepNs, preemptedCount } = loop;
  const draftedCount = speculation === undefined ? undefined : loop.draftedCount;
  const acceptedCount = speculation === undefined ? undefined : loop.acceptedCount;
  const load = { runningCount, waitingCount, kvUsedRatio, stepCount, lastStepNs };
  const state = { ...stats, ...load, preemptedCount, draftedCount, acceptedCount };
  return { models, startedEpochS, metrics, state, takePerfEntries: () => perfRing.take() };
}

function sendTruth(door: Door, response: ServerResponse, id: string | undefined): void {
  if (id === undefined) return sendJson(response, 200, door.truths.all());
  const truth = door.truths.get(id);
  if (truth === undefined) return sendJson(response, 404, errorBody('No such request.', 'NotFoundError', 404));
  return sendJson(response, 200, truth);
}

function sendNotFound(response: ServerResponse): void {
  sendJson(response, 404, errorBody('There is no such path.', 'NotFoundError', 404));
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, JSON_HEADERS).end(JSON.stringify(body));
}
