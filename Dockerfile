# docker build -t sobremesa . && docker run -p 8765:8765 -v sobremesa:/data sobremesa
FROM python:3.12-slim AS base

ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PYTHONDONTWRITEBYTECODE=1

# Apart from the source, so that a change of it does not install everything anew.
COPY requirements/play.txt /build/requirements/play.txt
RUN pip install --require-hashes -r /build/requirements/play.txt

FROM base AS wheel

COPY requirements/web.txt /build/requirements/web.txt
RUN pip install --require-hashes -r /build/requirements/web.txt
COPY pyproject.toml README.md LICENSE /build/
COPY tools/web.py /build/tools/web.py
COPY docs/schema /build/docs/schema
COPY src /build/src
COPY web /build/web
RUN pip wheel --no-deps --no-build-isolation --wheel-dir /build/dist /build

FROM base

RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin sobremesa \
    && install --directory --owner=sobremesa --group=sobremesa --mode=0700 /data

RUN --mount=from=wheel,source=/build/dist,target=/dist \
    pip install --no-deps --no-index /dist/*.whl \
    && python -m compileall -q "$(python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"

USER sobremesa
WORKDIR /data
VOLUME /data
EXPOSE 8765
HEALTHCHECK --interval=15s --timeout=5s --start-period=10s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8765/healthz', timeout=4)"]
CMD ["sobremesa", "serve", "--host", "0.0.0.0", "--database", "sqlite:////data/sobremesa.db"]
