# The image of a release: the devcontainer's, with the course and all that `./lab setup` installs in it.
#
#   docker build -t editor .devcontainer && docker build -t transpose-lab -f tools/image.Dockerfile . && docker run -it transpose-lab
ARG BASE=editor
FROM ${BASE}
COPY --chown=student . /home/student/transpose-lab
USER student
WORKDIR /home/student/transpose-lab
ENV LANG=C.UTF-8
RUN ./lab setup && sudo rm -rf /var/lib/apt/lists/*
CMD ["bash", "-c", "./lab; exec bash"]
