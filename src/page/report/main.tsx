// Where the page of a report begins: takes the data that stands in the document, and shows it.
import { render } from 'preact';
import type { ReportData } from '../../telemetry/report-data.ts';
import '../style/theme.css';
import '../style/base.css';
import '../style/shell.css';
import '../style/forced.css';
import './report.css';
import { ReportPage } from './report-page.tsx';

const root = document.querySelector('#report');
const text = document.querySelector('#data')?.textContent ?? '';
if (root !== null) render(<ReportPage data={JSON.parse(text) as ReportData} />, root);
